import type { IngressBackend, IngressSpec, ServiceBackendPort } from '../../../api/networking/v1.types.ts'
import { type Steps, someInSteps } from '../../../lib/steps.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { invalid, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { isValidPortName, isValidPortNum, nameIsDns1035Label, nameIsDnsLabel, type ValidateName } from '../../../meta/names.ts'
import { validateObjectReference } from '../object-reference.ts'

/** Checks that either name or number is set. The error is reported for the backend, not for its port. */
function validateBackendPort({ name, number }: ServiceBackendPort, backend: FieldPath): FieldError[] {
  const path = backend.child('service', 'port')
  if (name && number) return [invalid(backend, '', 'cannot set both port name & port number')]
  if (name) return isValidPortName(name).map(text => invalid(path.child('name'), name, text))
  if (number) return isValidPortNum(number).map(text => invalid(path.child('number'), number, text))
  return [required(backend, 'port name or number is required')]
}

/** Validates a backend: the port of a service, or an object of any kind. `validateName` checks names of services. */
export function validateBackend({ resource, service }: IngressBackend, validateName: ValidateName, path: FieldPath): FieldError[] {
  if (resource && service) return [invalid(path, '', 'cannot set both resource and service backends')]
  if (resource) return validateObjectReference(resource, path.child('resource'))
  if (!service) return [invalid(path, '', 'resource or service backend is required')]
  const at = path.child('service', 'name')
  return [
    ...(service.name ? validateName(service.name, false).map(text => invalid(at, service.name, text)) : [required(at)]),
    ...validateBackendPort(service.port, path),
  ]
}

/**
 * Returns the rule for names of services in an ingress. They may begin with a digit if the gate
 * RelaxedServiceNameValidation is on, or if the old ingress has such a name.
 */
export function* serviceNameRule(old: IngressSpec | undefined, features: Features): Steps<ValidateName> {
  const isRelaxed =
    features.enabled('RelaxedServiceNameValidation') ||
    (yield* someInSteps(backendsOf(old), ({ service }) => service !== undefined && beginsWithDigit(service.name)))
  return isRelaxed ? nameIsDnsLabel : nameIsDns1035Label
}

const beginsWithDigit = (name: string): boolean => nameIsDnsLabel(name, false).length === 0 && nameIsDns1035Label(name, false).length > 0

function* backendsOf(spec: IngressSpec | undefined): Generator<IngressBackend> {
  if (spec?.defaultBackend) yield spec.defaultBackend
  for (const { http } of spec?.rules ?? []) for (const { backend } of http?.paths ?? []) yield backend
}
