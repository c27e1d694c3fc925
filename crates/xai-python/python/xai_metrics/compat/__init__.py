"""The interfaces of other packages, computed by ours: changing the import is the migration.

==========================  ==========================================================
module                      stands in for
==========================  ==========================================================
:mod:`.case_explainer`      ``case_explainer`` 0.2.0
:mod:`.xplique`             ``xplique``: its ``metrics``
:mod:`.torch_geometric`     ``torch_geometric``: its ``explain.metric``
:mod:`.error_consistency`   ``error_consistency``: its ``functional``
==========================  ==========================================================

Names, the order of arguments and the types of results are those of the other package. None of them
is imported. Where a number of theirs is not what its definition says, ours is that of the
definition; the documentation of the function says why, and how to get theirs.
"""
