import type { CSIStorageCapacity } from '../../../api/storage/v1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { Version } from '../../../catalog/definition.ts'
import type { HookContext } from '../../../catalog/strategy.ts'
import { types } from '../../../catalog/types.ts'
import type { Steps } from '../../../lib/steps.ts'
import { deepEqualBySize } from '../../../meta/equal.ts'
import { type FieldError, immutableError, invalid } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { validateLabelSelector } from '../../../meta/label-selector.ts'
import { nameIsDnsSubdomain } from '../../../meta/names.ts'
import { quantitySign } from '../../../meta/quantity.ts'
import { NEGATIVE } from '../../core/checks.ts'
import { goLabelSelector } from '../../shared/go-syntax.ts'
import { selectorRules, validateSelectorsInSteps } from '../../shared/selector-rules.ts'
import { STANDARD_VERBS } from '../../shared/strategy-parts.ts'
import { capacityWarnings } from '../warnings.ts'

const TOPOLOGY_PATH = fieldPath('nodeTopology')
const CLASS_PATH = fieldPath('storageClassName')

function* validateCapacityUpdate({ nodeTopology, storageClassName }: CSIStorageCapacity, old: CSIStorageCapacity): Steps<FieldError[]> {
  const hasSameTopology = yield* deepEqualBySize(nodeTopology, old.nodeTopology)
  return [
    ...(hasSameTopology ? [] : [immutableError(TOPOLOGY_PATH, nodeTopology && goLabelSelector(nodeTopology))]),
    ...(storageClassName === old.storageClassName ? [] : [immutableError(CLASS_PATH, storageClassName)]),
  ]
}

/**
 * Validates a capacity. An update may keep invalid values of nodeTopology if the stored object has some. `capacity` may
 * be absent. Source: pkg/apis/storage/validation in k8s.io/kubernetes.
 */
function* validateCSIStorageCapacity(
  next: CSIStorageCapacity,
  old: CSIStorageCapacity | undefined,
  { features }: HookContext,
): Steps<FieldError[]> {
  const { nodeTopology, storageClassName, capacity } = next
  yield* validateSelectorsInSteps(nodeTopology, TOPOLOGY_PATH, old?.nodeTopology, features)
  return [
    ...validateLabelSelector(nodeTopology, TOPOLOGY_PATH, selectorRules(features, old?.nodeTopology)),
    ...nameIsDnsSubdomain(storageClassName, false).map(text => invalid(CLASS_PATH, storageClassName, text)),
    ...(capacity !== undefined && quantitySign(capacity) < 0 ? [invalid(fieldPath('capacity'), capacity, NEGATIVE)] : []),
    ...(old ? yield* validateCapacityUpdate(next, old) : []),
  ]
}

const v1: Version<CSIStorageCapacity> = {
  group: 'storage.k8s.io',
  name: 'v1',
  kind: 'CSIStorageCapacity',
  names: { plural: 'csistoragecapacities', singular: 'csistoragecapacity' },
  verbs: STANDARD_VERBS,
  schema: types.type('storage.CSIStorageCapacity'),
  listSchema: types.type('storage.CSIStorageCapacityList'),
}

/** Differs from v1 only in name. Served before 1.27; 1.24 stores it. */
const v1beta1: Version<CSIStorageCapacity> = {
  ...v1,
  name: 'v1beta1',
  schema: types.type('storagev1beta1.CSIStorageCapacity'),
  listSchema: types.type('storagev1beta1.CSIStorageCapacityList'),
}

/**
 * Capacity of a storage class that is available in a part of the cluster. Drivers write it, and the scheduler reads it.
 * Class and topology are immutable. The table has the default columns: kube-apiserver does not use the ones that it
 * declares. Source of its rules: pkg/registry/storage/csistoragecapacity.
 */
export const csiStorageCapacityResource = defineResource<CSIStorageCapacity>({
  scope: 'Namespaced',
  versions: [v1, v1beta1],
  hub: v1,
  storage: { prefix: 'csistoragecapacities', version: v1 },
  strategy: {
    allowUnconditionalUpdate: false,
    metaRounds: ['whole', 'change'],
    validate: validateCSIStorageCapacity,
    warnings: capacityWarnings,
  },
})
