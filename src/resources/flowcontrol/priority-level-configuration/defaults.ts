import type { KubeObject } from '../../../meta/object.ts'

/** Zero shares are a value; zero queues count as not given. */
export function setPriorityLevelDefaults({ spec }: KubeObject): void {
  const { limited, exempt } = spec ?? {}
  if (exempt) {
    exempt.nominalConcurrencyShares ??= 0
    exempt.lendablePercent ??= 0
  }
  if (!limited) return
  limited.nominalConcurrencyShares ??= 30
  limited.lendablePercent ??= 0
  const queuing = limited.limitResponse?.queuing
  if (!queuing) return
  queuing.handSize ||= 8
  queuing.queues ||= 64
  queuing.queueLengthLimit ||= 50
}
