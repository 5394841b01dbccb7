import type { TypePackage } from '../../schema/idl.ts'

/**
 * The types of extensions/v1beta1, from which workloads, ingresses and network policies moved to groups of their own. Its objects are still read and written in every media type, by
 * programs and by a server that emulates a release that has them.
 */
export const extensionsTypes: TypePackage = {
  id: 'extensionsV1beta1',
  definition: 'io.k8s.api.extensions.v1beta1',
  source: `
types DaemonSet DaemonSetCondition DaemonSetList DaemonSetStatus DaemonSetUpdateStrategy RollingUpdateDaemonSet like appsV1beta2
types Deployment DeploymentCondition DeploymentList DeploymentStatus DeploymentStrategy RollingUpdateDeployment like appsV1beta2
types ReplicaSet ReplicaSetCondition ReplicaSetList ReplicaSetStatus Scale ScaleSpec ScaleStatus like appsV1beta2
types DeploymentRollback DeploymentSpec RollbackConfig like appsV1beta1
types HTTPIngressPath HTTPIngressRuleValue Ingress IngressBackend IngressList IngressLoadBalancerIngress IngressLoadBalancerStatus like networkingV1beta1
types IngressPortStatus IngressRule IngressRuleValue IngressSpec IngressStatus IngressTLS like networkingV1beta1
types IPBlock NetworkPolicy NetworkPolicyEgressRule NetworkPolicyIngressRule NetworkPolicyList NetworkPolicyPeer NetworkPolicyPort like networking

type DaemonSetSpec
  selector 1 *meta.LabelSelector?
  template 2 core.PodTemplateSpec
  updateStrategy 3 DaemonSetUpdateStrategy?
  minReadySeconds 4 int32?
  templateGeneration 5 int64? deprecated
  revisionHistoryLimit 6 *int32?

type NetworkPolicySpec like networking.NetworkPolicySpec
  policyTypes 4 []string? atomic

type ReplicaSetSpec like appsV1beta2.ReplicaSetSpec
  selector 2 *meta.LabelSelector?
`,
}
