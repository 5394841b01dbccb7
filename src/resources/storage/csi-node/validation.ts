import type { CSINode, CSINodeDriver } from '../../../api/storage/v1.types.ts'
import type { HookContext } from '../../../catalog/strategy.ts'
import { goJsonText } from '../../../lib/go-json-text.ts'
import { quote } from '../../../lib/go-quote.ts'
import { repeats } from '../../../lib/repeats.ts'
import { isLongStepDone, type Steps } from '../../../lib/steps.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'
import { deepEqualBySize } from '../../../meta/equal.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { duplicate, immutableError, invalid, required, verbatim } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { isQualifiedName, longerThan } from '../../../meta/names.ts'
import { NEGATIVE } from '../../core/checks.ts'
import { validateCsiDriverName } from '../../core/volume/sources.ts'
import { goPointer, goStringList } from '../../shared/go-syntax.ts'

const NODE_ID_LIMIT = 256
const PATH = fieldPath('spec', 'drivers')

/** Prints a driver as Go's %#v does, for the error about immutable fields. */
const printDriver = ({ name, nodeID, topologyKeys, allocatable }: CSINodeDriver): string =>
  `storage.CSINodeDriver{Name:${quote(name)}, NodeID:${quote(nodeID)}, TopologyKeys:${goStringList(topologyKeys ?? undefined).text}, ` +
  `Allocatable:${goPointer('storage.VolumeNodeResources', allocatable)}}`

const driverJson = ({ name, nodeID, topologyKeys, allocatable }: CSINodeDriver): string =>
  goJsonText({
    Name: name,
    NodeID: nodeID,
    TopologyKeys: topologyKeys ?? null,
    Allocatable: allocatable ? { Count: allocatable.count ?? null } : null,
  })

/** Validates topology keys. Errors are reported for the driver, not for the key. */
function validateTopologyKeys(keys: readonly string[], at: FieldPath): FieldError[] {
  const again = repeats(keys)
  return keys.flatMap((key, i) => [
    ...(key === '' ? [required(at)] : []),
    ...(again[i] ? [duplicate(at, key)] : []),
    ...isQualifiedName(key).map(text => invalid(at, key, text)),
  ])
}

/** Validates a driver. `again` is set if an earlier driver has the same name. */
function validateDriver(
  { name, nodeID, allocatable, topologyKeys }: CSINodeDriver,
  again: boolean,
  release: Release,
  at: FieldPath,
): FieldError[] {
  const errors = validateCsiDriverName(name, at.child('name'), release)
  if (nodeID === '') errors.push(required(at.child('nodeID')))
  if (longerThan(nodeID, NODE_ID_LIMIT)) errors.push(invalid(at.child('nodeID'), nodeID, `must be ${NODE_ID_LIMIT} characters or less`))
  const { count = 0 } = allocatable ?? {}
  if (count < 0) errors.push(invalid(at.child('allocatable', 'count'), count, NEGATIVE))
  if (again) errors.push(duplicate(at.child('name'), name))
  return [...errors, ...validateTopologyKeys(topologyKeys ?? [], at)]
}

function* validateDrivers(drivers: readonly CSINodeDriver[], release: Release): Steps<FieldError[]> {
  const again = repeats(drivers.map(({ name }) => name))
  const errors: FieldError[] = []
  for (const [i, driver] of drivers.entries()) {
    if (isLongStepDone()) yield
    for (const error of validateDriver(driver, again[i] === true, release, PATH.index(i))) errors.push(error)
  }
  return errors
}

/** Returns the drivers that differ from old ones of their names, in the order of the old list. */
function* changedDrivers(drivers: readonly CSINodeDriver[], old: readonly CSINodeDriver[]): Steps<CSINodeDriver[]> {
  const byName = new Map<string, CSINodeDriver[]>()
  for (const driver of drivers) {
    const ofName = byName.get(driver.name)
    if (ofName) ofName.push(driver)
    else byName.set(driver.name, [driver])
  }
  const changed: CSINodeDriver[] = []
  for (const before of old)
    for (const driver of byName.get(before.name) ?? []) {
      if (isLongStepDone()) yield
      if (!(yield* deepEqualBySize(driver, before))) changed.push(driver)
    }
  return changed
}

const withoutAllocatable = ({ allocatable: _, ...driver }: CSINodeDriver): CSINodeDriver => driver

/**
 * Validates a node. Drivers may be added and removed. One that stays is immutable, except that `allocatable` may change
 * with the gate MutableCSINodeAllocatableCount. Source: pkg/apis/storage/validation in k8s.io/kubernetes.
 */
export function* validateCSINode({ spec }: CSINode, old: CSINode | undefined, { features }: HookContext): Steps<FieldError[]> {
  const drivers = spec.drivers ?? []
  const errors = yield* validateDrivers(drivers, features.release)
  if (!old) return errors
  const fixed = features.enabled('MutableCSINodeAllocatableCount') ? withoutAllocatable : (driver: CSINodeDriver) => driver
  // The errors show the new drivers.
  const changed = yield* changedDrivers(drivers.map(fixed), (old.spec.drivers ?? []).map(fixed))
  // Upstream validates an updated object twice, and reports every error twice.
  return [
    ...errors,
    ...errors,
    ...changed.map(driver =>
      immutableError(
        isSince(features.release, '1.33') ? PATH : fieldPath('CSINodeDriver'),
        verbatim(printDriver(driver), () => driverJson(driver)),
      ),
    ),
  ]
}
