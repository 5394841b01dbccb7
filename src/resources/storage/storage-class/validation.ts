import type { StorageClass } from '../../../api/storage/v1.types.ts'
import type { HookContext } from '../../../catalog/strategy.ts'
import { enumValues } from '../../../catalog/types.ts'
import type { Steps } from '../../../lib/steps.ts'
import { isMemberExactly } from '../../../meta/empty-members.ts'
import { appendErrors, covered, type FieldError, forbidden } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { validateImmutableField } from '../../../meta/object-meta-validation.ts'
import { field, fields, onUpdate, type Rule, rules } from '../../../meta/rules.ts'
import { before, since } from '../../shared/release-rules.ts'
import { validateOneOf } from '../../shared/word-lists.ts'
import { validateParameters, validateProvisioner } from '../parameters.ts'
import { validateAllowedTopologies } from './topologies.ts'

const RECLAIM_POLICIES = ['Delete', 'Retain']
const BINDING_MODES = enumValues('storage.VolumeBindingMode')

const immutableMode: Rule<unknown> = (value, path, old) => covered('immutable', validateImmutableField(value, old, path))

const forbidChange =
  (name: 'parameters' | 'provisioner' | 'reclaimPolicy'): Rule<StorageClass> =>
  (next, path, old) =>
    old && !isMemberExactly(next, old, name) ? [forbidden(path.child(name), `updates to ${name} are forbidden.`)] : []

const validateMembers = rules<StorageClass, HookContext>()(
  field('provisioner', validateProvisioner),
  field('parameters', (parameters, path) => validateParameters(parameters ?? {}, true, path)),
  // An empty string is valid. Defaults have set absent fields.
  field('reclaimPolicy', (policy, path) => (policy === '' ? [] : validateOneOf(policy, RECLAIM_POLICIES, path))),
  field('volumeBindingMode', (mode, path) => validateOneOf(mode, BINDING_MODES, path)),
)

const validateChanges = rules<StorageClass, HookContext>()(
  onUpdate(
    before('1.36', forbidChange('parameters'), forbidChange('provisioner'), forbidChange('reclaimPolicy')),
    since('1.36', fields(['parameters', 'provisioner', 'reclaimPolicy'], immutableMode)),
    field('volumeBindingMode', immutableMode),
  ),
)

const TOPOLOGIES = fieldPath('allowedTopologies')

/** Validates a class. Source: pkg/apis/storage/validation in k8s.io/kubernetes. */
export function* validateStorageClass(next: StorageClass, old: StorageClass | undefined, context: HookContext): Steps<FieldError[]> {
  const errors = validateMembers(next, old, context)
  appendErrors(errors, yield* validateAllowedTopologies(next.allowedTopologies ?? [], TOPOLOGIES))
  return appendErrors(errors, validateChanges(next, old, context))
}
