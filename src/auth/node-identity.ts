import type { User } from '../meta/context.ts'

const NODES = 'system:nodes'
const PREFIX = 'system:node:'

/** The node whose kubelet the user is: `system:node:NAME` in the group system:nodes. Empty where it names none, undefined for a user who is no node. */
export const nodeOf = ({ name, groups }: Pick<User, 'name' | 'groups'>): string | undefined =>
  name.startsWith(PREFIX) && groups.includes(NODES) ? name.slice(PREFIX.length) : undefined
