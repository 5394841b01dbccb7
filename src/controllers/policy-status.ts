import { checkPolicyTypes } from '../admission/policies/type-check.ts'
import type { ValidatingAdmissionPolicy } from '../api/admissionregistration/v1.types.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { getKind, updateKind } from '../catalog/define.ts'
import { errorMessage } from '../lib/error-message.ts'
import { runInTurns } from '../lib/steps.ts'
import { isStatusError } from '../meta/status.ts'
import { VALIDATING_POLICIES } from '../resources/kinds.ts'
import { type Controller, type ControllerEnvironment, follow, WorkQueue } from './controller.ts'

/** Whether the status is up to date with the spec. */
const isObserved = ({ metadata, status }: ValidatingAdmissionPolicy): boolean =>
  (metadata.generation ?? 0) <= (status.observedGeneration ?? 0)

/** Type-checks the expressions of each generation of a ValidatingAdmissionPolicy and reports warnings in its status. */
export const policyStatusController =
  (catalog: Catalog): Controller =>
  async (env, signal) => {
    const queue = new WorkQueue(
      1,
      signal,
      name => report(env, catalog, name),
      (name, error) => env.logger.debug(1, 'cannot update the status of a policy, retrying', { name, error: errorMessage(error) }),
      env.queues?.meter('validatingadmissionpolicy-status'),
    )
    await follow(env, VALIDATING_POLICIES, signal, ({ type, object }) => {
      if (object && type !== 'deleted' && !isObserved(object)) queue.add(object.metadata.name ?? '')
    })
  }

/** Type-checks one policy and writes the warnings to its status. */
async function report(env: ControllerEnvironment, catalog: Catalog, name: string): Promise<void> {
  try {
    const checked = await getKind(env.access, VALIDATING_POLICIES, '', name)
    if (isObserved(checked)) return
    const warnings = await runInTurns(checkPolicyTypes(checked, catalog))
    const typeChecking = warnings.length > 0 ? { expressionWarnings: warnings } : {}
    const { uid, generation = 0 } = checked.metadata
    // A newer generation triggers another run.
    const change = (now: ValidatingAdmissionPolicy): ValidatingAdmissionPolicy | undefined =>
      now.metadata.uid !== uid || (now.metadata.generation ?? 0) !== generation
        ? undefined
        : { ...now, status: { ...now.status, observedGeneration: generation, typeChecking } }
    await updateKind(env.access, VALIDATING_POLICIES, { namespace: '', name, subresource: 'status' }, change)
  } catch (error) {
    // Deleted meanwhile.
    if (!isStatusError(error, 'NotFound')) throw error
  }
}
