import { expect } from 'chai'
import { isJsonObject, type JsonObject } from '../../../../src/api/meta/object.ts'
import type { Release } from '../../../../src/lifecycle/release.ts'
import { componentFindings } from '../../../../src/upgrade/report/components.ts'
import { upgradeOf } from '../../../../src/upgrade/report/examine-object.ts'
import { readDocuments } from '../../../../src/upgrade/source/nodes.ts'

function objectOf(text: string): JsonObject & { readonly apiVersion: string; readonly kind: string } {
  const value = readDocuments(text)[0]?.value
  if (!isJsonObject(value) || typeof value.apiVersion !== 'string' || typeof value.kind !== 'string') throw new Error('no object')
  return { ...value, apiVersion: value.apiVersion, kind: value.kind }
}

const pod = (command: string): string =>
  `apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: c, image: i, command: ${command}}]}\n`

const indented = (text: string): string => text.trimEnd().replaceAll(/^/gm, '    ')

const SCHEDULER = 'apiVersion: kubescheduler.config.k8s.io/v1beta2\nkind: KubeSchedulerConfiguration\n'
const PROXY =
  'apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\nmode: userspace\nfeatureGates: {ServiceTopology: true, TopologyAwareHints: true}\n'

/** An object, the releases, and the findings: level, rule, subject and start of the message. */
const cases: readonly {
  readonly what: string
  readonly text: string
  readonly from: Release
  readonly to: Release
  readonly found: readonly string[]
}[] = [
  {
    what: 'flags that a release dropped, and those that a later one drops',
    text: pod(
      '[kube-controller-manager, --pod-eviction-timeout=5m, --volume-host-cidr-denylist=1.2.3.4/32, --cluster-cidr=10.0.0.0/8, --log_dir, /var/log]',
    ),
    from: '1.25',
    to: '1.28',
    found: [
      'blocking removed-flag a: kube-controller-manager kube-controller-manager 1.28 does not know --pod-eviction-timeout',
      'warning deprecated-flag a: kube-controller-manager --volume-host-cidr-denylist is deprecated since 1.28',
      'blocking removed-flag a: kube-controller-manager kube-controller-manager 1.28 does not know --log-dir',
    ],
  },
  {
    what: 'nothing in flags that the target still has, and in those of other programs',
    text: pod('[kube-controller-manager, --pod-eviction-timeout=5m, --log-dir=/var/log]').replace(
      'containers: [',
      'containers: [{name: d, image: i, args: [--port=1, --cni-bin-dir=/opt]}, ',
    ),
    from: '1.24',
    to: '1.24',
    found: [],
  },
  {
    what: 'a component that a shell runs, or another program',
    text: pod(
      `[/bin/sh, -c, "mkfifo /tmp/pipe; exec /usr/local/bin/kube-apiserver --insecure-port=0 --feature-gates='NodeLease=true' > /var/log/a 2>&1"]`,
    ).replace(
      'containers:',
      'initContainers: [{name: p, image: i, command: [/go-runner, --log-file=/var/log/p, kube-proxy, --proxy-mode=userspace]}], containers:',
    ),
    from: '1.18',
    to: '1.26',
    found: [
      'blocking removed-gate a: kube-apiserver 1.26 does not know the feature gate NodeLease',
      'blocking removed-flag a: kube-apiserver kube-apiserver 1.26 does not know --insecure-port',
      'blocking removed-flag a: kube-proxy kube-proxy 1.26 does not start with --proxy-mode=userspace',
    ],
  },
  {
    what: 'gates that were there before the oldest release that is emulated',
    text: PROXY,
    from: '1.20',
    to: '1.34',
    found: [
      'blocking removed-gate a: kube-proxy 1.34 does not know the feature gate ServiceTopology',
      'warning deprecated-gate a: kube-proxy the feature gate TopologyAwareHints is generally available',
      'blocking removed-flag a: kube-proxy kube-proxy 1.34 does not start with --proxy-mode=userspace',
    ],
  },
  {
    what: "arguments of kubeadm's configuration, and its version",
    text: 'apiVersion: kubeadm.k8s.io/v1beta2\nkind: ClusterConfiguration\ncontrollerManager: {extraArgs: {cloud-provider: aws, horizontal-pod-autoscaler-upscale-delay: 3m}}\n',
    from: '1.26',
    to: '1.31',
    found: [
      'blocking removed-flag a: kube-controller-manager kube-controller-manager 1.31 does not start with --cloud-provider=aws',
      'blocking removed-flag a: kube-controller-manager kube-controller-manager 1.31 does not know --horizontal-pod-autoscaler-upscale-delay',
      'blocking removed-config a kubeadm.k8s.io/v1beta2 ClusterConfiguration is not read from 1.27 on',
    ],
  },
  {
    what: 'arguments of a kubelet that joins',
    text: 'apiVersion: kubeadm.k8s.io/v1beta3\nkind: JoinConfiguration\nnodeRegistration: {kubeletExtraArgs: {container-runtime: remote, network-plugin: cni, node-ip: 10.0.0.1}}\n',
    from: '1.23',
    to: '1.26',
    found: [
      'warning deprecated-flag a: kubelet --container-runtime is deprecated since 1.24',
      'blocking removed-flag a: kubelet kubelet 1.26 does not know --network-plugin',
    ],
  },
  {
    what: 'a deprecated version of a configuration',
    text: SCHEDULER,
    from: '1.24',
    to: '1.27',
    found: [
      'warning deprecated-config a kubescheduler.config.k8s.io/v1beta2 KubeSchedulerConfiguration is deprecated since 1.25, and not read from 1.28 on',
    ],
  },
  {
    what: 'nothing in a version that is not deprecated yet',
    text: SCHEDULER,
    from: '1.23',
    to: '1.24',
    found: [],
  },
  {
    what: 'configurations that a ConfigMap holds',
    text: `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  config.conf: |\n${indented(SCHEDULER)}\n  other: |\n    apiVersion: kubescheduler.config.k8s.io/v1beta2\n    broken: [\n  notes: kubescheduler.config.k8s.io/v1beta2\n`,
    from: '1.24',
    to: '1.30',
    found: [
      'blocking removed-config a: data[config.conf] kubescheduler.config.k8s.io/v1beta2 KubeSchedulerConfiguration is not read from 1.28 on',
    ],
  },
  {
    what: 'the configuration of a kind cluster',
    text:
      'apiVersion: kind.x-k8s.io/v1alpha4\nkind: Cluster\nfeatureGates: {EphemeralContainers: true}\nruntimeConfig: {policy/v1beta1: "true"}\nkubeadmConfigPatches:\n' +
      '- |\n  apiVersion: kubeadm.k8s.io/v1beta2\n  kind: ClusterConfiguration\nnodes:\n- role: worker\n  kubeadmConfigPatches:\n' +
      '  - |\n    kind: JoinConfiguration\n    nodeRegistration:\n      kubeletExtraArgs: {pod-infra-container-image: pause}\n',
    from: '1.24',
    to: '1.35',
    found: [
      'blocking removed-gate a: kube-apiserver 1.35 does not know the feature gate EphemeralContainers',
      'blocking removed-flag a: kube-apiserver --runtime-config: 1.35 does not serve policy/v1beta1',
      'blocking removed-config a: kubeadmConfigPatches[0] kubeadm.k8s.io/v1beta2 ClusterConfiguration is not read from 1.27 on',
      'blocking removed-flag a: nodes[0].kubeadmConfigPatches[0]: kubelet kubelet 1.35 does not know --pod-infra-container-image',
    ],
  },
  {
    what: 'credential plugins of a kubeconfig',
    text: 'apiVersion: v1\nkind: Config\nusers:\n- {name: a, user: {exec: {apiVersion: client.authentication.k8s.io/v1alpha1, command: aws}}}\n- {name: b, user: {auth-provider: {name: gcp}}}\n- {name: c, user: {exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: aws}}}\n',
    from: '1.23',
    to: '1.26',
    found: [
      'blocking removed-config a users[0].user.exec.apiVersion: clients of 1.26 do not read',
      'blocking removed-config a users[1].user.auth-provider: clients of 1.26 have no provider gcp',
    ],
  },
]

describe('components in the upgrade report', () => {
  for (const { what, text, from, to, found } of cases)
    it(`have ${what}`, () => {
      const object = objectOf(text)
      const texts = componentFindings(object, object, { file: 'a.yaml' }, 'a', upgradeOf(from, to)).map(
        ({ level, rule, subject, message }) => `${level} ${rule} ${subject} ${message}`,
      )
      expect(texts.map((each, i) => (each.startsWith(found[i] ?? '-') ? found[i] : each))).to.deep.equal(found)
    })
})

/** Gates that 1.37 removed, and those that it locked. Source: pkg/features/kube_features.go in k8s.io/kubernetes. */
const GONE_IN_37 =
  'APIServerTracing AnonymousAuthConfigurableEndpoints AnyVolumeDataSource AuthorizeNodeWithSelectors AuthorizeWithSelectors BtreeWatchCache ' +
  'ConsistentListFromCache GangScheduling JobBackoffLimitPerIndex JobPodReplacementPolicy JobSuccessPolicy LogarithmicScaleDown ' +
  'OrderedNamespaceDeletion PodLifecycleSleepAction PodLifecycleSleepActionAllowZero PreventStaticPodAPIReferences RelaxedDNSSearchValidation ' +
  'ResilientWatchCacheInitialization RetryGenerateName SchedulerQueueingHints SidecarContainers StreamingCollectionEncodingToJSON ' +
  'StreamingCollectionEncodingToProtobuf StructuredAuthenticationConfiguration WorkloadAwarePreemption '
const LOCKED_IN_37 =
  'DRAExtendedResource DRAPrioritizedList DRAResourceClaimDeviceStatus DisableCPUQuotaWithExclusiveCPUs HPAConfigurableTolerance ' +
  'HostnameOverride InPlacePodVerticalScalingInitContainers NodeDeclaredFeatures PLEGOnDemandRelist PodReadyToStartContainersCondition ' +
  'RelaxedServiceNameValidation WatchCacheInitializationPostStartHook '

describe('gates of 1.37 in the upgrade report', () => {
  const rulesOf = (names: string, value: string): string[] => {
    const flag = names
      .trim()
      .split(' ')
      .map(name => `${name}=${value}`)
      .join()
    const object = objectOf(pod(`[kube-apiserver, "--feature-gates=${flag}"]`))
    return componentFindings(object, object, {}, 'a', upgradeOf('1.36', '1.37')).map(
      ({ rule, level, since = '' }) => `${level} ${rule} ${since}`,
    )
  }

  it('are removed', () => expect(rulesOf(GONE_IN_37, 'true')).to.deep.equal(Array.from({ length: 25 }, () => 'blocking removed-gate 1.37')))

  it('are locked', () => {
    expect(rulesOf(LOCKED_IN_37, 'false')).to.deep.equal(Array.from({ length: 12 }, () => 'blocking locked-gate '))
    expect(rulesOf('DeclarativeValidationTakeover', 'true')).to.deep.equal(['blocking locked-gate '])
  })

  it('may be set as before if only their default changed', () =>
    expect(
      rulesOf('ConcurrentWatchObjectDecode HPAScaleToZero MaxUnavailableStatefulSet AllowUnsafeMalformedObjectDeletion', 'false'),
    ).to.deep.equal([]))
})
