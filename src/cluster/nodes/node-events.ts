import type { ObjectReference } from '../../api/core/v1.types.ts'
import type { EventRecorder } from '../shared/event-recorder.ts'

/** Records the events of nodes as their kubelets do, whose references to the node have its name as uid. */
export class NodeEvents {
  readonly #events: EventRecorder

  constructor(events: EventRecorder) {
    this.#events = events
  }

  /** Records that the kubelet of a node begins. */
  started(node: string): void {
    this.#events.recordFor(referenceTo(node), 'Normal', 'Starting', 'Starting kubelet.', node)
  }

  /** Records that a condition of a node has changed. @param reason such as `NodeReady` */
  changed(node: string, reason: string): void {
    this.#events.recordFor(referenceTo(node), 'Normal', reason, `Node ${node} status is now: ${reason}`, node)
  }
}

const referenceTo = (name: string): ObjectReference => ({ kind: 'Node', name, uid: name })
