import { isSince, type Release } from '../../lifecycle/release.ts'

/** Components whose flags are checked. */
export const COMPONENTS = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kube-proxy', 'kubelet'] as const

/** Name of a component, which is that of its program. */
export type Component = (typeof COMPONENTS)[number]

/** Names, separated by spaces, by the first release for which they are listed. */
type ByRelease = Readonly<Partial<Record<Release, string>>>

/** Removed flags of every component: those of klog (KEP-2845), and one of alpha log sanitization. */
const GONE_OF_ALL: ByRelease = {
  '1.24': 'experimental-logging-sanitization',
  '1.26':
    'add-dir-header alsologtostderr log-backtrace-at log-dir log-file log-file-max-size logtostderr one-output skip-headers skip-log-headers stderrthreshold',
}

/**
 * Removed flags, with which a component does not start. Sources: cmd/ and the modules that it shares, at a tag of each
 * release since 1.16.
 */
const GONE: Readonly<Record<Component, ByRelease>> = {
  'kube-apiserver': {
    '1.19': 'audit-dynamic-configuration basic-auth-file enable-inflight-quota-handler',
    '1.22': 'kubelet-https ssh-keyfile ssh-user',
    '1.24':
      'address deserialization-cache-size enable-swagger-ui experimental-encryption-provider-config insecure-bind-address insecure-port port target-ram-mb',
    '1.25': 'service-account-api-audiences',
    '1.26': 'identity-lease-duration-seconds identity-lease-renew-interval-seconds',
    '1.27': 'master-service-namespace',
    '1.33': 'cloud-config cloud-provider',
  },
  'kube-controller-manager': {
    '1.24': 'address deployment-controller-sync-period horizontal-pod-autoscaler-use-rest-clients port',
    '1.25': 'deleting-pods-burst deleting-pods-qps experimental-cluster-signing-duration register-retry-count',
    '1.27': 'enable-taint-manager pod-eviction-timeout',
    '1.31':
      'horizontal-pod-autoscaler-downscale-delay horizontal-pod-autoscaler-upscale-delay volume-host-allow-local-loopback volume-host-cidr-denylist',
  },
  'kube-scheduler': {
    '1.22': 'algorithm-provider hard-pod-affinity-symmetric-weight scheduler-name',
    '1.23': 'policy-config-file policy-configmap policy-configmap-namespace use-legacy-policy-config',
    '1.24': 'address port',
    '1.28': 'lock-object-name lock-object-namespace',
  },
  'kube-proxy': { '1.21': 'cleanup-ipvs', '1.26': 'udp-timeout', '1.31': 'proxy-port-range' },
  kubelet: {
    '1.19': 'bootstrap-checkpoint-path experimental-dockershim',
    '1.21': 'enable-cadvisor-json-endpoints',
    '1.22': 'chaos-chance redirect-container-streaming',
    '1.23': 'experimental-bootstrap-kubeconfig seccomp-profile-root',
    '1.24':
      'cni-bin-dir cni-cache-dir cni-conf-dir docker docker-endpoint docker-root docker-tls docker-tls-ca docker-tls-cert docker-tls-key dynamic-config-dir ' +
      'experimental-check-node-capabilities-before-mount experimental-dockershim-root-directory image-pull-progress-deadline network-plugin network-plugin-mtu ' +
      'non-masquerade-cidr really-crash-for-testing',
    '1.25': 'experimental-kernel-memcg-notification',
    '1.27': 'container-runtime master-service-namespace',
    '1.30': 'azure-container-registry-config',
    '1.31': 'iptables-drop-bit iptables-masquerade-bit keep-terminated-pod-volumes',
    '1.34': 'cloud-config register-schedulable',
    '1.35': 'pod-infra-container-image',
  },
}

/** Deprecated flags. Those of the kubelet that are also in its configuration file are left out. Sources: as above. */
const DEPRECATED: Readonly<Record<Component, ByRelease>> = {
  'kube-apiserver': {
    '1.16':
      'admission-control enable-logs-handler kubelet-port kubelet-read-only-port audit-webhook-batch-initial-backoff service-account-api-audiences',
    '1.24': 'apiserver-count',
    '1.25': 'default-watch-cache-size',
    '1.26': 'master-service-namespace',
    '1.29': 'cloud-config cloud-provider',
  },
  'kube-controller-manager': {
    '1.16':
      'deleting-pods-burst deleting-pods-qps horizontal-pod-autoscaler-downscale-delay horizontal-pod-autoscaler-upscale-delay register-retry-count allow-untagged-cloud node-sync-period',
    '1.19': 'experimental-cluster-signing-duration',
    '1.25': 'enable-taint-manager',
    '1.26': 'pod-eviction-timeout',
    '1.28': 'volume-host-allow-local-loopback volume-host-cidr-denylist',
  },
  'kube-scheduler': { '1.16': 'lock-object-name lock-object-namespace' },
  'kube-proxy': { '1.18': 'healthz-port metrics-port', '1.29': 'proxy-port-range' },
  kubelet: {
    '1.16':
      'keep-terminated-pod-volumes master-service-namespace maximum-dead-containers maximum-dead-containers-per-container minimum-container-ttl-duration register-schedulable',
    '1.19': 'cloud-config experimental-allocatable-ignore-eviction experimental-mounter-path',
    '1.24': 'container-runtime pod-infra-container-image',
    '1.28': 'iptables-drop-bit iptables-masquerade-bit',
  },
}

/** Flags that are no longer deprecated. */
const RESTORED: Partial<Readonly<Record<Component, ByRelease>>> = { 'kube-apiserver': { '1.37': 'enable-logs-handler' } }

const IN_TREE = 'use external, with the cloud-controller-manager of the provider'

/** Values of flags with which a component no longer starts. */
const GONE_VALUES: Readonly<Record<string, Readonly<Record<string, { readonly gone: Release; readonly advice?: string }>>>> = {
  'cloud-provider': {
    openstack: { gone: '1.26', advice: IN_TREE },
    aws: { gone: '1.27', advice: IN_TREE },
    azure: { gone: '1.29', advice: IN_TREE },
    gce: { gone: '1.29', advice: IN_TREE },
    vsphere: { gone: '1.29', advice: IN_TREE },
  },
  'container-runtime': { docker: { gone: '1.24', advice: 'use a runtime of the CRI' } },
  'proxy-mode': { userspace: { gone: '1.26', advice: 'use iptables, ipvs or nftables' } },
}

export const isComponent = (name: string): name is Component => COMPONENTS.some(each => each === name)

/** Returns the release that lists a name, if it is not later than the given one. */
function listedIn(table: ByRelease, name: string, release: Release): Release | undefined {
  for (const [since, names] of Object.entries(table) as [Release, string][])
    if (isSince(release, since) && names.split(' ').includes(name)) return since
  return undefined
}

/** Returns the release that removed a flag, or undefined if `to` has it. */
export const goneFlagSince = (component: Component, name: string, to: Release): Release | undefined =>
  listedIn(GONE[component], name, to) ?? listedIn(GONE_OF_ALL, name, to)

/** Returns the release that deprecated a flag, or undefined. */
export function deprecatedFlagSince(component: Component, name: string, to: Release): Release | undefined {
  return listedIn(RESTORED[component] ?? {}, name, to) === undefined ? listedIn(DEPRECATED[component], name, to) : undefined
}

/** Returns the removal of a value, if `to` does not accept it. */
export function goneValue(name: string, value: string, to: Release): { readonly gone: Release; readonly advice?: string } | undefined {
  const values = Object.hasOwn(GONE_VALUES, name) ? GONE_VALUES[name] : undefined
  const found = values !== undefined && Object.hasOwn(values, value) ? values[value] : undefined
  return found !== undefined && isSince(to, found.gone) ? found : undefined
}
