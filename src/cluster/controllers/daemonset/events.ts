import type { Pod } from '../../../api/core/v1.types.ts'
import type { EventText } from '../../shared/event-recorder.ts'

const podText = ({ metadata: { namespace = '', name = '' } }: Pick<Pod, 'metadata'>, node: string): string =>
  `${namespace}/${name} on node ${node}`

export const failedPodEvent = (pod: Pick<Pod, 'metadata'>, node: string): EventText => ({
  type: 'Warning',
  reason: 'FailedDaemonPod',
  message: `Found failed daemon pod ${podText(pod, node)}, will try to kill it`,
})

export const succeededPodEvent = (pod: Pick<Pod, 'metadata'>, node: string): EventText => ({
  type: 'Normal',
  reason: 'SucceededDaemonPod',
  message: `Found succeeded daemon pod ${podText(pod, node)}, will try to delete it`,
})

export const selectsAllEvent: EventText = {
  type: 'Warning',
  reason: 'SelectingAll',
  message: 'This daemon set is selecting all pods. A non-empty selector is required.',
}
