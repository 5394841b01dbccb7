import type { LabelSelector } from '../../../api/meta/v1.types.ts'
import type { ClusterRole } from '../../../api/rbac/v1.types.ts'

/** Returns the selectors of the roles whose rules a ClusterRole aggregates. Empty for a role with rules of its own. */
export const aggregationSelectors = ({ aggregationRule }: Pick<ClusterRole, 'aggregationRule'>): LabelSelector[] =>
  aggregationRule?.clusterRoleSelectors ?? []
