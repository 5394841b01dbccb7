import type { PodTemplateSpec } from '../../../api/core/v1.types.ts'
import type { KubeObject } from '../../../api/meta/object.ts'
import { asKind } from '../../../catalog/define.ts'
import { qualifiedResource } from '../../../meta/gvk.ts'
import { type AdmissionRequest, groupResourceOf } from '../../../registry/types.ts'
import {
  CRON_JOBS,
  DAEMON_SETS,
  DEPLOYMENTS,
  JOBS,
  POD_TEMPLATES,
  PODS,
  REPLICA_SETS,
  REPLICATION_CONTROLLERS,
  STATEFUL_SETS,
} from '../../kinds.ts'

/** Type of object that Pod Security checks. A `controller` is any object with a pod template. */
type PodSecurityTarget = 'namespace' | 'pod' | 'controller'

/** Returns the pod template of an object, by resource. Undefined if the template is optional and absent. */
const TEMPLATES: ReadonlyMap<string, (object: KubeObject) => PodTemplateSpec | undefined> = new Map([
  ['podtemplates', object => asKind(POD_TEMPLATES, object).template],
  ['replicationcontrollers', object => asKind(REPLICATION_CONTROLLERS, object).spec.template],
  ['daemonsets.apps', object => asKind(DAEMON_SETS, object).spec.template],
  ['deployments.apps', object => asKind(DEPLOYMENTS, object).spec.template],
  ['replicasets.apps', object => asKind(REPLICA_SETS, object).spec.template],
  ['statefulsets.apps', object => asKind(STATEFUL_SETS, object).spec.template],
  ['cronjobs.batch', object => asKind(CRON_JOBS, object).spec.jobTemplate.spec.template],
  ['jobs.batch', object => asKind(JOBS, object).spec.template],
])

/** Subresources that do not change the pod's spec. The object of any other subresource is the pod. */
const IGNORED: ReadonlySet<string> = new Set(['exec', 'attach', 'binding', 'eviction', 'log', 'portforward', 'proxy', 'status'])

const requestedResource = ({ served }: AdmissionRequest): string => qualifiedResource(groupResourceOf(served))

/** Returns undefined for requests that Pod Security does not check. */
export function podSecurityTarget(request: AdmissionRequest): PodSecurityTarget | undefined {
  const { subresource } = request
  const resource = requestedResource(request)
  if (resource === 'pods') return IGNORED.has(subresource) ? undefined : 'pod'
  if (subresource !== '') return undefined
  if (resource === 'namespaces') return 'namespace'
  return TEMPLATES.has(resource) ? 'controller' : undefined
}

/** Returns the pod of the request, or the pod template in its object. */
export function templateOf(request: AdmissionRequest, object: KubeObject): Pick<PodTemplateSpec, 'metadata' | 'spec'> | undefined {
  const resource = requestedResource(request)
  return resource === 'pods' ? asKind(PODS, object) : TEMPLATES.get(resource)?.(object)
}
