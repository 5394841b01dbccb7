import type { User } from '../meta/context.ts'

const NODES = 'system:nodes'
const PREFIX = 'system:node:'

/**
 * Name of the node whose kubelet the user is: `system:node:NAME` in the group system:nodes. May be empty. Undefined if
 * the user is not a node.
 */
export const nodeNameOf = ({ name, groups }: Pick<User, 'name' | 'groups'>): string | undefined =>
  name.startsWith(PREFIX) && groups.includes(NODES) ? name.slice(PREFIX.length) : undefined
