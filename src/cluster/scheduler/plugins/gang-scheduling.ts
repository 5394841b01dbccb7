import { onAbort } from '../../../lib/on-abort.ts'
import { type BindingContext, type GroupProgress, type Plugin, type Status, unresolvable, unschedulable } from '../framework.ts'
import { groupName } from '../groups/group-trees.ts'
import { groupOf, groupRules } from '../groups/pod-group.ts'

export const GANG_SCHEDULING = 'GangScheduling'
/** Time that an assumed pod waits for the others of its gang. */
const PERMIT_TIMEOUT_MS = 5 * 60_000

/**
 * Keeps the pods of a gang out of the queue until the minimum of them exists, and those of a tree of groups until the
 * minimum of its groups is ready. Pods that are scheduled one by one also
 * wait, with a node assumed, until the minimum has nodes: in 1.35. Later releases schedule a gang in one cycle. Source:
 * pkg/scheduler/framework/plugins/gangscheduling.
 */
export const gangScheduling: Plugin = {
  name: GANG_SCHEDULING,
  preEnqueue(pod, objects) {
    const group = groupOf(pod)
    if (group === undefined) return undefined
    const rules = groupRules(pod, objects)
    if (rules === undefined) return unresolvable(`waiting for the group of the pod to exist: ${group.kind} ${group.object}`)
    const { groups, brokenBy, end } = objects.trees.pathOf(group.key)
    // The cycle reports a hierarchy that is not valid.
    if (brokenBy === 'too many levels') return undefined
    if (groups.length > 1 || (groups.length > 0 && brokenBy))
      return brokenBy === undefined && objects.trees.isReady(end)
        ? undefined
        : unresolvable(`waiting for composite pod group "${groupName(end)}" tree to meet quorum`)
    return rules.minCount === undefined || objects.podCountOfGroup(group.key) >= rules.minCount
      ? undefined
      : unresolvable('waiting for minCount pods from a gang to appear in scheduling queue')
  },
  permit(pod, objects, groups) {
    const group = groupOf(pod)
    if (group === undefined) return undefined
    const rules = groupRules(pod, objects)
    if (rules === undefined) {
      const error = new Error(
        `running Permit plugin "${GANG_SCHEDULING}": failed to get the group of the pod: ${group.kind} ${group.object}`,
      )
      return () => Promise.reject(error)
    }
    const { minCount = 0 } = rules
    if (groups.scheduled(group.key).size >= minCount) return undefined
    groups.retry(pod)
    return context => untilScheduled(group.key, minCount, groups, context)
  },
}

/** Waits until a number of pods of a group have nodes. Resolves with a status when the time is over. */
async function untilScheduled(
  group: string,
  count: number,
  groups: GroupProgress,
  { clock, signal }: BindingContext,
): Promise<Status | undefined> {
  const stops: (() => void)[] = []
  try {
    return await new Promise<Status | undefined>((resolve, reject) => {
      const timer = clock.after(PERMIT_TIMEOUT_MS, () =>
        resolve(unschedulable(`rejected due to timeout after waiting 5m0s at plugin ${GANG_SCHEDULING}`)),
      )
      const check = (): void => {
        if (groups.scheduled(group).size >= count) resolve(undefined)
      }
      stops.push(
        () => timer.close(),
        onAbort(signal, () => reject(new Error('the pod does not exist any more'))),
        groups.onScheduled(group, check),
      )
      check()
    })
  } finally {
    for (const stop of stops) stop()
  }
}
