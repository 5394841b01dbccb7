import type { TypedObject } from '../../../api/meta/object.ts'
import type {
  DriverRequests,
  ResourceClaimParameters,
  ResourceClaimParametersReference,
  ResourceClassParameters,
} from '../../../api/resource/v1alpha2.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { TableDefinition, Version } from '../../../catalog/definition.ts'
import type { HookContext } from '../../../catalog/strategy.ts'
import type { Steps } from '../../../lib/steps.ts'
import { age } from '../../../meta/age.ts'
import { deepEqualBySize } from '../../../meta/equal.ts'
import { duplicate, type FieldError, required } from '../../../meta/field-error.ts'
import { type FieldPath, fieldPath } from '../../../meta/field-path.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { oldestReader } from '../../shared/oldest-reader.ts'
import { validateDriverName } from '../names.ts'
import { validateModel } from './models.ts'
import { compileNamedSelectors, type NamedSelectorFaults, validateNamedSelector } from './named-selectors.ts'
import { referenceCell, validateClaimParametersRef, validateClassParametersRef } from './references.ts'
import { alphaVersion } from './version.ts'

interface OfDriver {
  readonly driverName?: string
}

/** Validates the entries of drivers, whose names must be unique. */
function validateDrivers<T extends OfDriver>(
  items: readonly T[],
  path: FieldPath,
  check: (item: T, at: FieldPath) => readonly FieldError[],
): FieldError[] {
  const seen = new Set<string>()
  return items.flatMap((item, i) => {
    const { driverName = '' } = item
    const at = path.index(i)
    const driver = at.child('driverName')
    const again = seen.has(driverName) ? [duplicate(driver, driverName)] : []
    seen.add(driverName)
    return [...validateDriverName(driverName, driver), ...again, ...check(item, at)]
  })
}

function validateRequests({ requests = [] }: DriverRequests, faults: NamedSelectorFaults, path: FieldPath): FieldError[] {
  const at = path.child('requests')
  if (requests.length === 0) return [required(at, 'empty entries with no requests are not allowed')]
  return requests.flatMap((request, i) =>
    validateModel(request, at.index(i), (named, place) => validateNamedSelector(named, faults, place)),
  )
}

const modelSelectors = (models: readonly { namedResources?: { selector: string } }[]): string[] =>
  models.flatMap(({ namedResources }) => (namedResources ? [namedResources.selector] : []))

function* validateClaimParameters(
  { generatedFrom, driverRequests = [] }: ResourceClaimParameters,
  old: ResourceClaimParameters | undefined,
  { features }: HookContext,
): Steps<FieldError[]> {
  const isStored = old !== undefined && (yield* deepEqualBySize(driverRequests, old.driverRequests))
  const selectors = driverRequests.flatMap(({ requests = [] }) => modelSelectors(requests))
  const faults = yield* compileNamedSelectors(selectors, oldestReader(features, isStored))
  return [
    ...validateClaimParametersRef(generatedFrom, fieldPath('generatedFrom')),
    ...validateDrivers(driverRequests, fieldPath('driverRequests'), (item, at) => validateRequests(item, faults, at)),
  ]
}

/** Expressions of filters count as new in every update. */
function* validateClassParameters(
  { generatedFrom, filters = [], vendorParameters = [] }: ResourceClassParameters,
  _: ResourceClassParameters | undefined,
  { features }: HookContext,
): Steps<FieldError[]> {
  const faults = yield* compileNamedSelectors(modelSelectors(filters), oldestReader(features, false))
  return [
    ...validateClassParametersRef(generatedFrom, fieldPath('generatedFrom')),
    ...validateDrivers(filters, fieldPath('filters'), (filter, at) =>
      validateModel(filter, at, (named, place) => validateNamedSelector(named, faults, place)),
    ),
    ...validateDrivers(vendorParameters, fieldPath('vendorParameters'), () => []),
  ]
}

const table: TableDefinition<TypedObject & { generatedFrom?: ResourceClaimParametersReference }> = {
  columns: [nameColumn, column('GeneratedFrom', 'Object that the parameters were generated from.'), ageColumn],
  cells: ({ metadata, generatedFrom }, now) => [metadata.name ?? '', referenceCell(generatedFrom), age(metadata.creationTimestamp, now)],
}

const claimParameters: Version<ResourceClaimParameters> = {
  ...alphaVersion('v1alpha2', 'ResourceClaimParameters', { plural: 'resourceclaimparameters', singular: 'resourceclaimparameters' }),
  table,
}

const classParameters: Version<ResourceClassParameters> = {
  ...alphaVersion('v1alpha2', 'ResourceClassParameters', { plural: 'resourceclassparameters', singular: 'resourceclassparameters' }),
  table,
}

/**
 * Parameters of a claim for drivers, in 1.30.
 * Source of its rules: pkg/registry/resource/resourceclaimparameters.
 */
export const resourceClaimParametersResource = defineResource<ResourceClaimParameters>({
  scope: 'Namespaced',
  versions: [claimParameters],
  hub: claimParameters,
  storage: { prefix: 'resourceclaimparameters', version: claimParameters },
  strategy: { metaRounds: ['change', 'whole'], validate: validateClaimParameters },
})

/**
 * Parameters of a class for drivers, in 1.30.
 * Source of its rules: pkg/registry/resource/resourceclassparameters.
 */
export const resourceClassParametersResource = defineResource<ResourceClassParameters>({
  scope: 'Namespaced',
  versions: [classParameters],
  hub: classParameters,
  storage: { prefix: 'resourceclassparameters', version: classParameters },
  strategy: { metaRounds: ['change', 'whole'], validate: validateClassParameters },
})
