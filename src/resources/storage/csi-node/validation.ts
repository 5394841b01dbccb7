import { quote } from '../../../lib/go-quote.ts'
import { repeats } from '../../../lib/repeats.ts'
import { deepEqual } from '../../../meta/equal.ts'
import { duplicate, invalid, required, verbatim } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { longerThan } from '../../../meta/names.ts'
import type { KubeObject } from '../../../meta/object.ts'
import type { ApiStruct, Errors } from '../../core/checks.ts'
import { checkNonNegative, checkQualifiedName } from '../../core/checks.ts'
import { checkCsiDriverName } from '../../core/volume/sources.ts'
import { goPointer, goStringList } from '../../shared/go-syntax.ts'

const NODE_ID_LIMIT = 256
const path = fieldPath('spec', 'drivers')

const driversOf = ({ spec }: KubeObject): ApiStruct[] => spec?.drivers ?? []

const printDriver = ({ name = '', nodeID = '', topologyKeys, allocatable }: ApiStruct): string =>
  `storage.CSINodeDriver{Name:${quote(name)}, NodeID:${quote(nodeID)}, TopologyKeys:${goStringList(topologyKeys ?? undefined).text}, ` +
  `Allocatable:${goPointer('storage.VolumeNodeResources', allocatable)}}`

function checkTopologyKeys(keys: readonly string[], at: FieldPath, errors: Errors): void {
  const again = repeats(keys)
  for (const [i, key] of keys.entries()) {
    if (key === '') errors.push(required(at))
    if (again[i]) errors.push(duplicate(at, key))
    checkQualifiedName(key, at, errors)
  }
}

function checkDrivers(drivers: readonly ApiStruct[], errors: Errors): void {
  const names = new Set<string>()
  for (const [i, { name = '', nodeID = '', allocatable, topologyKeys }] of drivers.entries()) {
    const at = path.index(i)
    checkCsiDriverName(name, at.child('name'), errors)
    if (nodeID === '') errors.push(required(at.child('nodeID')))
    if (longerThan(nodeID, NODE_ID_LIMIT)) errors.push(invalid(at.child('nodeID'), nodeID, `must be ${NODE_ID_LIMIT} characters or less`))
    checkNonNegative(allocatable?.count, at.child('allocatable', 'count'), errors)
    if (names.has(name)) errors.push(duplicate(at.child('name'), name))
    names.add(name)
    checkTopologyKeys(topologyKeys ?? [], at, errors)
  }
}

/** A driver that stays is the same in every member. */
export function validateCSINode(next: KubeObject, old: KubeObject | undefined): Errors {
  const errors: Errors = []
  checkDrivers(driversOf(next), errors)
  if (!old) return errors
  // An update is checked as a new object and as an update, so upstream tells every cause twice.
  errors.push(...errors)
  for (const before of driversOf(old)) {
    for (const after of driversOf(next)) {
      if (after.name === before.name && !deepEqual(after, before)) errors.push(invalid(path, verbatim(printDriver(after)), 'field is immutable'))
    }
  }
  return errors
}
