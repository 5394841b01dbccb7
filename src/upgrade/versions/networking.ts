import { isJsonObject, type JsonObject, type KubeObject } from '../../api/meta/object.ts'
import { objectAt, objectsIn, rename } from '../../meta/json-members.ts'
import type { OldVersion } from './old-version.ts'

const INGRESSES = { group: 'networking.k8s.io', resource: 'ingresses' }

/** Converts `serviceName` and `servicePort` to `service`. A port given as the string `80` is a port name, as before. */
function toBackend(backend: JsonObject): void {
  const { serviceName, servicePort } = backend
  if (serviceName === undefined && servicePort === undefined) return
  delete backend.serviceName
  delete backend.servicePort
  // A missing port is decoded as 0, in a backend that is a resource.
  const port: JsonObject =
    typeof servicePort === 'string' ? { name: servicePort } : servicePort === undefined || servicePort === 0 ? {} : { number: servicePort }
  if (serviceName === undefined && Object.keys(port).length === 0) return
  backend.service = { name: serviceName ?? '', port }
}

function toIngress(object: KubeObject): KubeObject {
  const { spec } = object
  if (!isJsonObject(spec)) return object
  rename(spec, 'backend', 'defaultBackend')
  if (isJsonObject(spec.defaultBackend)) toBackend(spec.defaultBackend)
  for (const path of pathsOf(spec)) if (isJsonObject(path.backend)) toBackend(path.backend)
  return object
}

const pathsOf = (spec: JsonObject): JsonObject[] =>
  objectsIn(spec.rules).flatMap(({ http }) => (isJsonObject(http) ? objectsIn(http.paths) : []))

/** Sets the default of v1beta1, since networking.k8s.io/v1 has none. */
function setPathTypes({ spec }: KubeObject): void {
  for (const path of isJsonObject(spec) ? pathsOf(spec) : []) path.pathType ??= 'ImplementationSpecific'
}

const ingress = (group: string, type: string): OldVersion => ({
  group,
  name: 'v1beta1',
  kind: 'Ingress',
  type,
  into: INGRESSES,
  setDefaults: setPathTypes,
  toHub: toIngress,
})

/**
 * Networking kinds of earlier releases. In networking.k8s.io/v1 backends have other names, and `pathType` is required.
 */
export const OLD_NETWORKING: readonly OldVersion[] = [
  ingress('extensions', 'extensionsV1beta1.Ingress'),
  ingress('networking.k8s.io', 'networkingV1beta1.Ingress'),
  {
    group: 'networking.k8s.io',
    name: 'v1beta1',
    kind: 'IngressClass',
    type: 'networkingV1beta1.IngressClass',
    into: { group: 'networking.k8s.io', resource: 'ingressclasses' },
    setDefaults({ spec }) {
      if (isJsonObject(spec) && isJsonObject(spec.parameters)) objectAt(spec, 'parameters').scope ??= 'Cluster'
    },
  },
  {
    group: 'extensions',
    name: 'v1beta1',
    kind: 'NetworkPolicy',
    type: 'extensionsV1beta1.NetworkPolicy',
    into: { group: 'networking.k8s.io', resource: 'networkpolicies' },
  },
]
