import type { FlowSchema, PriorityLevelConfiguration } from '../api/flowcontrol/v1.types.ts'

/** A FlowSchema without its type and status. */
export type FlowSchemaConfig = Pick<FlowSchema, 'metadata' | 'spec'>

/** A PriorityLevelConfiguration without its type and status. */
export type PriorityLevelConfig = Pick<PriorityLevelConfiguration, 'metadata' | 'spec'>

/** Names of the mandatory schemas and levels. */
export const EXEMPT = 'exempt'
export const CATCH_ALL = 'catch-all'
