import type { ResourceDefinition, TableDefinition, Version } from '../../../catalog/definition.ts'
import { age } from '../../../meta/age.ts'
import { deepEqual } from '../../../meta/equal.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { invalid } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { checkTemplateMeta } from '../../core/volume/claim-template.ts'
import { ageColumn, nameColumn } from '../../shared/columns.ts'
import { goValue } from '../../shared/go-values.ts'
import { validateClaimSpec } from '../claim-spec.ts'
import { requestConversion } from '../conversion.ts'
import { setOlderRequestDefaults, setRequestDefaults } from '../defaults.ts'
import { dropAlphaOfRequests } from '../dropped.ts'
import { olderVersions, resourceVersion } from '../version.ts'

const table: TableDefinition = {
  columns: [nameColumn, ageColumn],
  cells: ({ metadata }, now) => [metadata.name ?? '', age(metadata.creationTimestamp, now)],
}

const devicesOf = ({ spec }: KubeObject): KubeObject['spec'] | undefined => spec?.spec?.devices

function validateSpec({ spec }: KubeObject, stored: boolean): FieldError[] {
  const path = fieldPath('spec')
  const errors: FieldError[] = []
  checkTemplateMeta(spec?.metadata ?? {}, path.child('metadata'), errors)
  return [...errors, ...validateClaimSpec(spec?.spec, stored, path.child('spec'))]
}

/** An update tells what is wrong twice, as upstream does; it cannot change the spec. */
function validate(next: KubeObject, old: KubeObject | undefined): FieldError[] {
  const errors = validateSpec(next, false)
  if (!old) return errors
  if (!deepEqual(next.spec, old.spec)) errors.push(invalid(fieldPath('spec'), goValue('resource.ResourceClaimTemplateSpec', next.spec), 'field is immutable'))
  return [...errors, ...validateSpec(next, true)]
}

const v1beta2: Version = {
  ...resourceVersion('ResourceClaimTemplate', { plural: 'resourceclaimtemplates', singular: 'resourceclaimtemplate' }),
  setDefaults: template => setRequestDefaults(devicesOf(template)),
  table,
}

const [v1beta1, v1alpha3] = olderVersions(v1beta2, () => ({
  ...requestConversion(devicesOf),
  setDefaults: template => setOlderRequestDefaults(devicesOf(template)),
}))

export const resourceClaimTemplateResource: ResourceDefinition = {
  scope: 'Namespaced',
  versions: [v1beta2, v1beta1, v1alpha3],
  hub: v1beta2,
  storage: { prefix: 'resourceclaimtemplates', version: v1beta1 },
  strategy: {
    revalidatesMeta: true,
    returnsDeleted: true,
    prepare: (next, old) => dropAlphaOfRequests(devicesOf(next), old && devicesOf(old)),
    validate,
  },
}
