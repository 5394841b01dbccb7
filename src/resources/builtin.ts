import type { ResourceDefinition } from '../catalog/definition.ts'
import { controllerRevisionResource } from './apps/controller-revision/definition.ts'
import { daemonSetResource } from './apps/daemon-set/definition.ts'
import { deploymentResource } from './apps/deployment/definition.ts'
import { replicaSetResource } from './apps/replica-set/definition.ts'
import { statefulSetResource } from './apps/stateful-set/definition.ts'
import { cronJobResource } from './batch/cron-job/definition.ts'
import { jobResource } from './batch/job/definition.ts'
import { leaseResource } from './coordination/lease/definition.ts'
import { componentStatusResource } from './core/component-status/definition.ts'
import { configMapResource } from './core/config-map/definition.ts'
import { endpointsResource } from './core/endpoints/definition.ts'
import { eventResourceWithTtl } from './core/event/definition.ts'
import { limitRangeResource } from './core/limit-range/definition.ts'
import { namespaceResource } from './core/namespace/definition.ts'
import { nodeResource } from './core/node/definition.ts'
import { persistentVolumeResource } from './core/persistent-volume/definition.ts'
import { persistentVolumeClaimResource } from './core/persistent-volume-claim/definition.ts'
import { bindingResource } from './core/pod/binding.ts'
import { podResource } from './core/pod/definition.ts'
import { podTemplateResource } from './core/pod-template/definition.ts'
import { replicationControllerResource } from './core/replication-controller/definition.ts'
import { resourceQuotaResource } from './core/resource-quota/definition.ts'
import { secretResource } from './core/secret/definition.ts'
import { rangeAllocationResource } from './core/service/allocation/node-ports.ts'
import type { ServiceOptions } from './core/service/definition.ts'
import { createServiceResource } from './core/service/definition.ts'
import { serviceAccountResource } from './core/service-account/definition.ts'
import { ingressResource } from './networking/ingress/definition.ts'
import { ingressClassResource } from './networking/ingress-class/definition.ts'
import { ipAddressResource } from './networking/ip-address/definition.ts'
import { networkPolicyResource } from './networking/network-policy/definition.ts'
import { serviceCIDRResource } from './networking/service-cidr/definition.ts'
import { podDisruptionBudgetResource } from './policy/pod-disruption-budget/definition.ts'

export interface BuiltinOptions extends ServiceOptions {
  readonly eventTtlSeconds: number
}

/** Every built-in kind, groups in the order in which discovery lists them. */
export const builtinResources = (options: BuiltinOptions): ResourceDefinition[] => [
  bindingResource,
  componentStatusResource,
  configMapResource,
  endpointsResource,
  eventResourceWithTtl(options.eventTtlSeconds),
  limitRangeResource,
  namespaceResource,
  nodeResource,
  persistentVolumeClaimResource,
  persistentVolumeResource,
  podResource,
  podTemplateResource,
  replicationControllerResource,
  resourceQuotaResource,
  secretResource,
  serviceAccountResource,
  createServiceResource(options),
  rangeAllocationResource,
  controllerRevisionResource,
  daemonSetResource,
  deploymentResource,
  replicaSetResource,
  statefulSetResource,
  cronJobResource,
  jobResource,
  ingressClassResource,
  ingressResource,
  ipAddressResource,
  networkPolicyResource,
  serviceCIDRResource,
  podDisruptionBudgetResource,
  leaseResource,
]
