//! Plans that a scheduler takes.

use bytes::BufMut;
use datafusion::common::{Result, exec_datafusion_err, plan_datafusion_err};
use datafusion::execution::TaskContext;
use datafusion::logical_expr::LogicalPlan;
use datafusion_proto::logical_plan::{AsLogicalPlan, LogicalExtensionCodec};
use datafusion_proto::protobuf::LogicalPlanNode;

use super::guard;
use crate::nesting;

/// A plan that reads what it may and no more, and whose terms do not stand too deep inside each other. Whoever sends one need
/// not have looked.
#[derive(Debug, Clone)]
pub(super) struct LimitedPlan(LogicalPlanNode);

impl AsLogicalPlan for LimitedPlan {
    fn try_decode(bytes: &[u8]) -> Result<Self> {
        let decoded = LogicalPlanNode::try_decode(bytes).map(Self);
        decoded.map_err(|error| match error.to_string().contains("RecursionLimit") {
            true => plan_datafusion_err!(
                "terms of different operators stand too deep inside each other for a cluster, whose messages have 100 levels"
            ),
            false => error,
        })
    }

    fn try_encode<B: BufMut>(&self, bytes: &mut B) -> Result<()> {
        self.0.try_encode(bytes)
    }

    fn try_into_logical_plan(
        &self,
        context: &TaskContext,
        codec: &dyn LogicalExtensionCodec,
    ) -> Result<LogicalPlan> {
        let limited = nesting::with_stack(|| {
            let plan = self.0.try_into_logical_plan(context, codec)?;
            nesting::check_plan(&plan)?;
            guard::check_query(&plan).map(|()| plan)
        });
        limited?.unwrap_or_else(|_| Err(exec_datafusion_err!("a plan that cannot be read")))
    }

    fn try_from_logical_plan(
        plan: &LogicalPlan,
        codec: &dyn LogicalExtensionCodec,
    ) -> Result<Self> {
        LogicalPlanNode::try_from_logical_plan(plan, codec).map(Self)
    }
}
