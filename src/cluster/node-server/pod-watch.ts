import type { Pod } from '../../api/core/v1.types.ts'
import type { ApiClient } from '../../clients/api-client.ts'
import { PODS } from '../shared/kinds.ts'
import { isRunning } from './containers.ts'

/** Returns a signal that aborts when a container no longer runs or its pod is deleted, or with `left`. */
export function untilContainerEnds(client: ApiClient, pod: Pod, container: string, left: AbortSignal): AbortSignal {
  const ended = new AbortController()
  const { namespace = '', name = '', uid, resourceVersion = '' } = pod.metadata
  const until = AbortSignal.any([ended.signal, left])
  const end = (): void => ended.abort()
  if (!isRunning(pod, container)) end()
  else
    client
      .watch(PODS, { namespace, fieldSelector: `metadata.name=${name}`, resourceVersion }, until, change => {
        if (
          change.type !== 'bookmark' &&
          (change.type === 'deleted' || change.object.metadata.uid !== uid || !isRunning(change.object, container))
        )
          end()
        return undefined
      })
      .then(end, end)
  return until
}
