import { type Plugin, unresolvable } from '../framework.ts'

/** Keeps a pod out of the queue until all its scheduling gates are removed. */
export const schedulingGates: Plugin = {
  name: 'SchedulingGates',
  preEnqueue({ spec }) {
    const gates = spec.schedulingGates ?? []
    return gates.length === 0 ? undefined : unresolvable(`waiting for scheduling gates: [${gates.map(({ name }) => name).join(' ')}]`)
  },
}
