import type { AllocatedDeviceStatus, ResourceClaim } from '../../../api/resource/v1beta2.types.ts'
import { serviceAccountOf } from '../../../auth/authn/service-account/claims.ts'
import { forbidden as forbiddenRequest } from '../../../auth/authz/forbidden.ts'
import type { HookContext } from '../../../catalog/strategy.ts'
import { isStepDone, type Steps, startInTurns } from '../../../lib/steps.ts'
import type { Authorizer } from '../../../meta/authorizer.ts'
import type { RequestContext, User } from '../../../meta/context.ts'
import { deepEqualBySize } from '../../../meta/equal.ts'
import { type FieldError, forbidden } from '../../../meta/field-error.ts'
import { type FieldPath, fieldPath } from '../../../meta/field-path.ts'
import { isDns1123Subdomain } from '../../../meta/names.ts'
import { resourceAttributes } from '../../../meta/request-attributes.ts'
import { deviceId } from './status-validation.ts'

const ALLOCATION = fieldPath('status', 'allocation')
const DEVICES = fieldPath('status', 'devices')
const NODE_NAME = 'authentication.kubernetes.io/node-name'

/**
 * Authorizes changes of the status while the gate DRAResourceClaimGranularStatusAuthorization is on (KEP-4817).
 * Changing the allocation needs a verb on `resourceclaims/binding`, changing the status of a device one on
 * `resourceclaims/driver` with the name of the driver. Writes by the server itself are always allowed. Source:
 * pkg/registry/resource/utils.go in k8s.io/kubernetes.
 */
export async function validateStatusRights(
  authorizer: Authorizer,
  next: ResourceClaim,
  old: ResourceClaim,
  ctx: HookContext,
): Promise<FieldError[]> {
  const { request, features } = ctx
  if (!request || !features.enabled('DRAResourceClaimGranularStatusAuthorization')) return []
  const caller = new Caller(authorizer, request)
  const errors = await bindingErrors(caller, next, old)
  const asksForDevices = features.enabled('DRAResourceClaimDeviceStatus') && next.status.allocation !== undefined
  return asksForDevices ? [...errors, ...(await driverErrors(caller, next, old))] : errors
}

async function bindingErrors(caller: Caller, { status: next }: ResourceClaim, { status: old }: ResourceClaim): Promise<FieldError[]> {
  if (await startInTurns(isBoundAlike(next, old))) return []
  const refusal = await caller.refusal(caller.verb, 'binding', '', '')
  if (refusal === undefined) return []
  const needed = `resource="resourceclaims/binding", verb="${caller.verb}"`
  return [forbidden(ALLOCATION, `changing status.allocation or status.reservedFor requires ${needed} permission: ${refusal}`)]
}

function* isBoundAlike(next: ResourceClaim['status'], old: ResourceClaim['status']): Steps<boolean> {
  if (!(yield* deepEqualBySize(next.allocation, old.allocation))) return false
  return yield* deepEqualBySize(next.reservedFor, old.reservedFor)
}

/**
 * Returns one error for each driver whose device status was added, changed or removed. Any of the verbs is sufficient;
 * the error contains the reason for the first.
 */
async function driverErrors(caller: Caller, next: ResourceClaim, old: ResourceClaim): Promise<FieldError[]> {
  const node = allocatedNode(next)
  const prefixes = node !== undefined && node === accountNode(caller.user) ? ['associated-node:', 'arbitrary-node:'] : ['arbitrary-node:']
  const verbs = prefixes.map(prefix => `${prefix}${caller.verb}`)
  const errors: FieldError[] = []
  for (const driver of await startInTurns(changedDrivers(next.status.devices ?? [], old.status.devices ?? []))) {
    const refusals: string[] = []
    for (const verb of verbs) {
      const refusal = await caller.refusal(verb, 'driver', next.metadata.namespace ?? '', driver)
      if (refusal === undefined) break
      refusals.push(refusal)
    }
    if (refusals.length === verbs.length) errors.push(driverError(verbs, refusals[0] ?? '', DEVICES))
  }
  return errors
}

const driverError = (verbs: readonly string[], refusal: string, path: FieldPath): FieldError =>
  forbidden(path, `changing status.devices requires resource="resourceclaims/driver", verb="[${verbs.join(' ')}]" permission: ${refusal}`)

/** Returns the drivers whose device status differs, sorted. */
function* changedDrivers(next: readonly AllocatedDeviceStatus[], old: readonly AllocatedDeviceStatus[]): Steps<string[]> {
  const before = new Map<string, AllocatedDeviceStatus>()
  for (const device of old) {
    if (isStepDone()) yield
    before.set(deviceId(device), device)
  }
  const changed = new Set<string>()
  for (const device of next) {
    if (isStepDone()) yield
    const id = deviceId(device)
    if (!(yield* deepEqualBySize(before.get(id), device))) changed.add(device.driver)
    before.delete(id)
  }
  for (const { driver } of before.values()) changed.add(driver)
  return [...changed].sort()
}

/** Returns the node on which the claim is allocated, or undefined if the allocation names none or several. */
function allocatedNode({ status }: ResourceClaim): string | undefined {
  const [term, ...more] = status.allocation?.nodeSelector?.nodeSelectorTerms ?? []
  const [field, ...others] = term?.matchFields ?? []
  const [name, ...names] = field?.values ?? []
  const isOne = more.length === 0 && others.length === 0 && names.length === 0 && (term?.matchExpressions ?? []).length === 0
  return isOne && field?.key === 'metadata.name' && field.operator === 'In' ? name : undefined
}

/** Returns the node of a service account, as its token states it. */
function accountNode({ name, extra }: User): string | undefined {
  const [node, ...more] = extra?.[NODE_NAME] ?? []
  return serviceAccountOf(name) && more.length === 0 && node !== undefined && isDns1123Subdomain(node).length === 0 ? node : undefined
}

/** The user of a request, with checks for subresources that exist only for authorization. */
class Caller {
  readonly verb: string
  readonly user: User
  readonly #authorizer: Authorizer
  readonly #request: RequestContext

  constructor(authorizer: Authorizer, request: RequestContext) {
    this.#authorizer = authorizer
    this.#request = request
    this.user = request.user
    this.verb = request.info.verb
  }

  /** Returns the reason why the user may not use the verb, or undefined. */
  async refusal(verb: string, subresource: string, namespace: string, name: string): Promise<string | undefined> {
    const { info, signal } = this.#request
    const { path, group, version, resource } = info
    const asked = resourceAttributes({ path, group, version, resource, verb, subresource, namespace, name })
    const { decision, reason } = await this.#authorizer.authorize(this.user, asked, signal)
    return decision === 'allow' ? undefined : forbiddenRequest(this.user, asked, reason).message
  }
}
