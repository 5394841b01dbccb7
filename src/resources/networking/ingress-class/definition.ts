import type { IngressClass, IngressClassParametersReference } from '../../../api/networking/v1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { TableDefinition, Version } from '../../../catalog/definition.ts'
import { types } from '../../../catalog/types.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { age } from '../../../meta/age.ts'
import { type FieldError, forbidden, invalid, notSupported, required, requiredCovered, tooLongError } from '../../../meta/field-error.ts'
import { type FieldPath, fieldPath } from '../../../meta/field-path.ts'
import { isDomainPrefixedPath, nameIsDnsLabel } from '../../../meta/names.ts'
import { validateImmutableField } from '../../../meta/object-meta-validation.ts'
import { ageColumn, column, nameColumn, nameOfDefault } from '../../shared/columns.ts'
import { prepareGeneration } from '../../shared/spec-generation.ts'
import { STANDARD_VERBS } from '../../shared/strategy-parts.ts'
import { validateObjectReference } from '../object-reference.ts'

/** Limit in bytes. */
const CONTROLLER_LIMIT = 250
const SCOPES = ['Cluster', 'Namespace']

/** Validates a path with a domain, such as `example.com/ingress-controller`. */
function validateController(controller: string, path: FieldPath): FieldError[] {
  if (controller === '') return [required(path)]
  const long = Buffer.byteLength(controller) > CONTROLLER_LIMIT ? [tooLongError(path, CONTROLLER_LIMIT)] : []
  return [...long, ...isDomainPrefixedPath(controller).map(({ part, text }) => invalid(path, part, text))]
}

/**
 * Validates the scope, which is required (the default is `Cluster`). `Namespace` requires a namespace, `Cluster`
 * forbids one.
 */
function validateScope({ scope, namespace }: IngressClassParametersReference, path: FieldPath): FieldError[] {
  const at = path.child('namespace')
  if (typeof scope !== 'string') return [required(path.child('scope'))]
  if (!SCOPES.includes(scope)) return [notSupported(path.child('scope'), scope, SCOPES)]
  if (scope === 'Cluster') return namespace === undefined ? [] : [forbidden(at, "`parameters.scope` is set to 'Cluster'")]
  if (namespace === undefined) return [required(at, "`parameters.scope` is set to 'Namespace'")]
  return nameIsDnsLabel(namespace, false).map(text => invalid(at, namespace, text))
}

/**
 * Validates an ingress class. The controller is immutable, the parameters are not. Source:
 * pkg/apis/networking/validation in k8s.io/kubernetes.
 */
function validateIngressClass(next: IngressClass, old: IngressClass | undefined): FieldError[] {
  const path = fieldPath('spec')
  const { controller = '', parameters } = next.spec
  const errors = old ? validateImmutableField(controller, old.spec.controller ?? '', path.child('controller')) : []
  errors.push(...validateController(controller, path.child('controller')))
  if (!parameters) return errors
  const at = path.child('parameters')
  return [...errors, ...requiredCovered(validateObjectReference(parameters, at)), ...validateScope(parameters, at)]
}

/** Prints parameters as `CustomGroup.example.com/name`. */
function parametersCell(parameters: IngressClassParametersReference | undefined): string {
  if (!parameters) return '<none>'
  const { apiGroup, kind, name } = parameters
  return `${kind}${apiGroup === undefined ? '' : `.${apiGroup}`}/${name}`
}

const table: TableDefinition<IngressClass> = {
  columns: [
    nameColumn,
    column('Controller', 'Controller of the class.'),
    column('Parameters', 'Reference to the parameters of the controller.'),
    ageColumn,
  ],
  cells: ({ metadata, spec }, now) => [
    metadata.name ?? '',
    spec.controller ?? '',
    parametersCell(spec.parameters),
    age(metadata.creationTimestamp, now),
  ],
}

/** Annotation of the default class, with the value "true". */
export const IS_DEFAULT_CLASS = 'ingressclass.kubernetes.io/is-default-class'

/** Since 1.36 the default class is marked. */
const markingTable: TableDefinition<IngressClass> = {
  ...table,
  cells: (object, now) => [nameOfDefault(object.metadata, IS_DEFAULT_CLASS), ...table.cells(object, now).slice(1)],
}

const v1: Version<IngressClass> = {
  group: 'networking.k8s.io',
  name: 'v1',
  kind: 'IngressClass',
  names: { plural: 'ingressclasses', singular: 'ingressclass' },
  verbs: STANDARD_VERBS,
  schema: types.type('networking.IngressClass'),
  setDefaults({ spec }) {
    if (spec.parameters) spec.parameters.scope ??= 'Cluster'
  },
  table,
  tableIn: release => (isSince(release, '1.36') ? markingTable : table),
}

/**
 * Names the controller of the ingresses of a class. The default class has an annotation
 * (networking/ingress/admission-plugin.ts).
 * https://kubernetes.io/docs/concepts/services-networking/ingress/#ingress-class Source of its rules:
 * pkg/registry/networking/ingressclass.
 */
export const ingressClassResource = defineResource<IngressClass>({
  scope: 'Cluster',
  versions: [v1],
  hub: v1,
  storage: { prefix: 'ingressclasses', version: v1 },
  strategy: { metaRounds: ['change', 'whole'], prepare: prepareGeneration, validate: validateIngressClass },
})
