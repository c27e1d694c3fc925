//! Terms inside terms.

use ballista_core::serde::protobuf::ExecuteQueryParams;
use ballista_core::serde::protobuf::execute_query_params::Query;
use ballista_core::serde::protobuf::scheduler_grpc_client::SchedulerGrpcClient;
use ballista_core::version::insert_version_header;
use datafusion::logical_expr::{LogicalPlanBuilder, lit};
use datafusion_proto::logical_plan::{AsLogicalPlan, DefaultLogicalExtensionCodec};
use datafusion_proto::protobuf::LogicalPlanNode;
use datafusion_proto::protobuf::logical_expr_node::ExprType;
use datafusion_proto::protobuf::logical_plan_node::LogicalPlanType;

use crate::harness::{Cluster, Files};

#[test]
fn terms_that_are_too_deep_are_an_error_and_no_end_of_the_process() {
    let files = Files::new();
    let cases = [
        ("SELECT 1", " + 1", "1100 terms"),
        ("SELECT 1 WHERE true", " OR true", "1100 terms"),
        ("SELECT 1", " UNION SELECT 1", "1100 terms"),
        ("SELECT 1 FROM t", ", t", "1100 terms"),
    ];
    for (first, next, said) in cases {
        let query = format!("{first}{}", next.repeat(8_000));
        let refused = files.run(&["sql", &query]);
        let (error, help) = refused.badly(2);
        assert!(error.contains(said), "{error}");
        assert!(help.contains("IN (…)"), "{help}");
    }
    // Brackets: the parser counts them.
    let query = format!("SELECT {}1{}", "(".repeat(20_000), ")".repeat(20_000));
    let refused = files.run(&["sql", &query]);
    assert!(
        refused.badly(2).0.contains("recursion limit"),
        "{refused:?}"
    );
}

#[test]
fn a_thousand_terms_have_their_value() {
    let files = Files::new();
    let query = format!("SELECT 1{} AS n", " - 1 + 1".repeat(500));
    assert_eq!(files.json(&query, &[]), "[{\"n\":1}]\n");
}

#[test]
fn a_thousand_terms_have_their_value_on_a_cluster() {
    let files = Files::with_scores(10, 1, 1);
    let cluster = Cluster::new(1);
    let options = ["--scheduler", &cluster.address];
    let one = "CAST(base > 0 AS INT)";
    let query = format!(
        "SELECT sum({one}{}) AS n FROM 'runs'",
        format!(" + {one}").repeat(999)
    );
    assert_eq!(files.json(&query, &options), "[{\"n\":10000}]\n");
    // Terms of different operators are messages inside messages, of which the engine reads so many.
    let query = format!("SELECT base{} FROM 'runs'", " - base + base".repeat(100));
    let said = files.run(&[&["sql", &query][..], &options].concat());
    let (error, _) = said.badly(1);
    assert!(error.starts_with("terms of different operators"), "{error}");
}

/// A plan that our own client would not send.
fn deep_plan(n_terms: usize) -> Vec<u8> {
    let plan = LogicalPlanBuilder::empty(true).project([lit(1) + lit(1)]);
    let plan = plan.and_then(LogicalPlanBuilder::build).expect("a plan");
    let codec = DefaultLogicalExtensionCodec {};
    let mut node = LogicalPlanNode::try_from_logical_plan(&plan, &codec).expect("a message");
    let Some(LogicalPlanType::Projection(projection)) = &mut node.logical_plan_type else {
        panic!("{node:?}");
    };
    let Some(ExprType::BinaryExpr(sum)) = &mut projection.expr[0].expr_type else {
        panic!("{projection:?}");
    };
    sum.operands = vec![sum.operands[0].clone(); n_terms];
    let mut bytes = Vec::new();
    node.try_encode(&mut bytes).expect("bytes");
    bytes
}

#[tokio::test]
async fn a_scheduler_outlives_a_plan_whose_terms_are_too_deep() {
    let cluster = Cluster::new(0);
    let url = format!("http://{}", cluster.address);
    let mut scheduler = SchedulerGrpcClient::connect(url).await.expect("connected");
    // The time goes with the square of the terms, so that more than these would show no more.
    let mut request = tonic::Request::new(ExecuteQueryParams {
        session_id: "session".to_owned(),
        settings: Vec::new(),
        operation_id: "operation".to_owned(),
        query: Some(Query::LogicalPlan(deep_plan(2_000))),
    });
    insert_version_header(request.metadata_mut());
    let answer = scheduler.execute_query_push(request).await;
    let refused = answer.map(|_| ()).expect_err("refused");
    let said = refused.message();
    assert!(said.contains("more than 1100 terms"), "{said}");
}
