import type { Service, ServicePort } from '../../../api/core/v1.types.ts'
import { quote } from '../../../lib/go-quote.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { duplicate, forbidden, invalid, notSupported, required, verbatim } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { isDns1123Label, isQualifiedName, isValidPortName, isValidPortNum } from '../../../meta/names.ts'
import { PORT_PROTOCOLS } from '../endpoints/validation.ts'
import { portsOf, serviceTypeOf } from './fields.ts'

/** Validates each port. Names must be unique. */
export function validatePorts(service: Service, path: FieldPath): FieldError[] {
  const ports = portsOf(service)
  const names = new Set<string>()
  return ports.flatMap((port, i) => validateServicePort(port, ports.length > 1, names, path.index(i)))
}

/**
 * Validates a port. A name is required if there are several ports. `names` holds the names of the previous ports, and
 * the port's name is added to it. A target is a port number or the name of a container port.
 */
function validateServicePort(
  { name, port, protocol, targetPort, appProtocol }: ServicePort,
  requireName: boolean,
  names: Set<string>,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = []
  if (name) {
    errors.push(...isDns1123Label(name).map(text => invalid(path.child('name'), name, text)))
    if (names.has(name)) errors.push(duplicate(path.child('name'), name))
    names.add(name)
  } else if (requireName) errors.push(required(path.child('name')))
  errors.push(...isValidPortNum(port).map(text => invalid(path.child('port'), port, text)))
  if (!protocol) errors.push(required(path.child('protocol')))
  else if (!PORT_PROTOCOLS.includes(protocol)) errors.push(notSupported(path.child('protocol'), protocol, PORT_PROTOCOLS))
  const target = typeof targetPort === 'number' ? isValidPortNum(targetPort) : isValidPortName(targetPort)
  errors.push(...target.map(text => invalid(path.child('targetPort'), targetPort, text)))
  if (appProtocol !== undefined)
    errors.push(...isQualifiedName(appProtocol).map(text => invalid(path.child('appProtocol'), appProtocol, text)))
  return errors
}

/** Key of upstream's map of protocol and port, as its message prints it. */
const printedKey = (protocol: string, port: number): string =>
  `core.ServicePort{Name:"", Protocol:${quote(protocol)}, AppProtocol:(*string)(nil), Port:${port}, TargetPort:intstr.IntOrString{Type:0, IntVal:0, StrVal:""}, NodePort:0}`

/**
 * Compares ports with each other, and node ports with the type, in three passes: node ports of a ClusterIP service,
 * node ports that occur twice with one protocol, then pairs of protocol and port that occur twice.
 */
export function validatePortPairs(service: Service, path: FieldPath): FieldError[] {
  const ports = portsOf(service)
  const errors: FieldError[] = []
  for (const [i, { nodePort }] of ports.entries()) {
    if (nodePort && serviceTypeOf(service) === 'ClusterIP')
      errors.push(forbidden(path.index(i).child('nodePort'), "may not be used when `type` is 'ClusterIP'"))
  }
  const nodePorts = new Set<string>()
  for (const [i, { protocol, nodePort }] of ports.entries()) {
    if (!nodePort) continue
    if (nodePorts.has(`${protocol} ${nodePort}`)) errors.push(duplicate(path.index(i).child('nodePort'), nodePort))
    nodePorts.add(`${protocol} ${nodePort}`)
  }
  const pairs = new Set<string>()
  for (const [i, { protocol, port }] of ports.entries()) {
    if (pairs.has(`${protocol} ${port}`)) errors.push(duplicate(path.index(i), verbatim(printedKey(protocol, port))))
    pairs.add(`${protocol} ${port}`)
  }
  return errors
}
