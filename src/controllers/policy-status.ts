import { checkPolicyTypes } from '../admission/policies/type-check.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { ResourceId } from '../catalog/definition.ts'
import { errorMessage } from '../lib/error-message.ts'
import { runInTurns } from '../lib/steps.ts'
import type { KubeObject } from '../meta/object.ts'
import { isStatusError } from '../meta/status.ts'
import { type Controller, type ControllerEnvironment, follow, WorkQueue } from './controller.ts'

const POLICIES: ResourceId = { group: 'admissionregistration.k8s.io', resource: 'validatingadmissionpolicies' }

const isObserved = ({ metadata, status }: KubeObject): boolean => (metadata.generation ?? 0) <= (status?.observedGeneration ?? 0)

/** Tells of every generation of a validating policy what a check of its expressions against the types of the matched kinds has found. */
export const policyStatusController =
  (catalog: Catalog): Controller =>
  async (env, signal) => {
    const queue = new WorkQueue(
      1,
      signal,
      name => tell(env, catalog, name),
      (name, error) => env.logger.debug(1, 'the status of a policy cannot be written yet', { name, error: errorMessage(error) }),
      env.queues?.meter('validatingadmissionpolicy-status'),
    )
    await follow(env, POLICIES, signal, ({ type, object }) => {
      if (object && type !== 'deleted' && !isObserved(object)) queue.add(object.metadata.name as string)
    })
  }

async function tell(env: ControllerEnvironment, catalog: Catalog, name: string): Promise<void> {
  try {
    const checked = await env.access.get(POLICIES, '', name)
    if (isObserved(checked)) return
    const warnings = await runInTurns(checkPolicyTypes(checked, catalog))
    const typeChecking = warnings.length > 0 ? { expressionWarnings: warnings } : {}
    const { uid, generation } = checked.metadata
    // Of another generation its own event tells.
    const change = (now: KubeObject): KubeObject | undefined =>
      now.metadata.uid !== uid || now.metadata.generation !== generation
        ? undefined
        : { ...now, status: { ...now.status, observedGeneration: generation, typeChecking } }
    await env.access.update(POLICIES, '', name, change, { subresource: 'status' })
  } catch (error) {
    // It has gone meanwhile.
    if (!isStatusError(error, 'NotFound')) throw error
  }
}
