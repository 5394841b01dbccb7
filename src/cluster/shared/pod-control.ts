import type { Pod, PodTemplateSpec } from '../../api/core/v1.types.ts'
import type { OwnerReference, TypedObject } from '../../api/meta/object.ts'
import type { ApiClient, ResourceKind } from '../../clients/api-client.ts'
import { isPending } from '../../lib/awaitable.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { startInTurns } from '../../lib/steps.ts'
import { isStatusError, StatusError } from '../../meta/status.ts'
import { cloneInSteps } from '../../meta/whole-floats.ts'
import type { EventRecorder, EventText } from './event-recorder.ts'
import { PODS } from './kinds.ts'
import { controllerReference } from './owner.ts'

/** Length up to which `NAME-` is a prefix of pod names. */
const LONGEST_PREFIX = 253

/**
 * Returns the pod of a template. It shares the parts of the template, and has to be copied before it is written.
 * Corresponds to upstream's GetPodFromTemplate.
 */
export function plannedPod({ metadata, spec }: PodTemplateSpec, owner: TypedObject, reference: OwnerReference): Pod {
  const { namespace = '', name = '' } = owner.metadata
  const { labels = {}, annotations = {}, finalizers } = metadata
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: {
      namespace,
      labels,
      annotations,
      ...(finalizers && { finalizers }),
      generateName: name.length < LONGEST_PREFIX ? `${name}-` : name,
      ownerReferences: [reference],
    },
    spec,
    status: {},
  }
}

/** Whether a create was rejected because its namespace is being deleted. There is no point in a retry. */
export const isNamespaceTerminating = (error: unknown): boolean =>
  error instanceof StatusError && (error.status.details?.causes ?? []).some(({ reason }) => reason === 'NamespaceTerminating')

export const createdPodEvent = (pod: string): EventText => ({ type: 'Normal', reason: 'SuccessfulCreate', message: `Created pod: ${pod}` })
export const deletedPodEvent = (pod: string): EventText => ({ type: 'Normal', reason: 'SuccessfulDelete', message: `Deleted pod: ${pod}` })
export const failedCreateEvent = (error: string): EventText => ({
  type: 'Warning',
  reason: 'FailedCreate',
  message: `Error creating: ${error}`,
})
export const failedDeleteEvent = (error: string): EventText => ({
  type: 'Warning',
  reason: 'FailedDelete',
  message: `Error deleting: ${error}`,
})

/** Creates and deletes the pods of controllers, and records that in events of the controller. */
export class PodControl {
  readonly #client: ApiClient
  readonly #events: EventRecorder

  constructor(client: ApiClient, events: EventRecorder) {
    this.#client = client
    this.#events = events
  }

  /** Creates a pod of a template. Rejects with a StatusError. @param change changes the pod before it is created. */
  async create<T extends TypedObject>(
    kind: ResourceKind<T>,
    owner: T,
    template: PodTemplateSpec,
    change: (pod: Pod) => void = () => {},
  ): Promise<Pod> {
    const made = startInTurns(cloneInSteps(plannedPod(template, owner, controllerReference(kind, owner))))
    const pod = isPending(made) ? await made : made
    change(pod)
    try {
      const created = await this.#client.create(PODS, pod)
      this.#record(kind, owner, createdPodEvent(created.metadata.name ?? ''))
      return created
    } catch (error) {
      if (!isNamespaceTerminating(error)) this.#record(kind, owner, failedCreateEvent(errorMessage(error)))
      throw error
    }
  }

  /**
   * Deletes a pod. Rejects with an Error if that fails. A pod that is gone already is no failure for the events, but
   * rejects with NotFound.
   */
  async delete<T extends TypedObject>(kind: ResourceKind<T>, owner: T, { metadata: { namespace = '', name = '' } }: Pod): Promise<void> {
    try {
      await this.#client.delete(PODS, namespace, name)
    } catch (error) {
      if (isStatusError(error, 'NotFound')) throw error
      this.#record(kind, owner, failedDeleteEvent(errorMessage(error)))
      throw new Error(`unable to delete pods: ${errorMessage(error)}`)
    }
    this.#record(kind, owner, deletedPodEvent(name))
  }

  #record<T extends TypedObject>(kind: ResourceKind<T>, owner: T, { type, reason, message }: EventText): void {
    this.#events.record(kind, owner, type, reason, message)
  }
}
