import { expect } from 'chai'
import { createPod, podWith } from '../../../../support/pod.ts'

const container = (fields: object) => ({ containers: [{ name: 'c', image: 'i:1', ...fields }] })
const c = 'spec.containers[0]'

/** The spec of a new pod, followed by all errors in order. */
const cases: Record<string, [spec: object, ...errors: string[]]> = {
  'nothing wrong': [{}],
  'no containers': [{ containers: [] }, 'spec.containers: Required value'],
  'name and image': [
    { containers: [{ name: 'C_' }] },
    `${c}.name: Invalid value: "C_": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
    `${c}.image: Required value`,
  ],
  'padded image': [container({ image: ' i' }), `${c}.image: Invalid value: " i": must not have leading or trailing whitespace`],
  'a name twice': [
    {
      containers: [
        { name: 'a', image: 'i' },
        { name: 'a', image: 'i' },
      ],
    },
    'spec.containers[1].name: Duplicate value: "a"',
  ],
  policies: [
    container({ imagePullPolicy: 'Often', terminationMessagePolicy: 'Log' }),
    `${c}.terminationMessagePolicy: Unsupported value: "Log": supported values: "File", "FallbackToLogsOnError"`,
    `${c}.imagePullPolicy: Unsupported value: "Often": supported values: "Always", "IfNotPresent", "Never"`,
  ],
  'restart and dns policies': [
    { restartPolicy: 'Sometimes', dnsPolicy: 'Else' },
    'spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"',
    'spec.dnsPolicy: Unsupported value: "Else": supported values: "ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"',
  ],
  ports: [
    container({
      ports: [
        { containerPort: 0 },
        { containerPort: 70000, protocol: 'ICMP' },
        { containerPort: 1, hostPort: 5 },
        { containerPort: 2, hostPort: 5 },
      ],
    }),
    `${c}.ports[0].containerPort: Required value`,
    `${c}.ports[1].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive`,
    `${c}.ports[1].protocol: Unsupported value: "ICMP": supported values: "SCTP", "TCP", "UDP"`,
    `${c}.ports[3].hostPort: Duplicate value: "TCP//5"`,
  ],
  'host network': [
    { hostNetwork: true, ...container({ ports: [{ containerPort: 80, hostPort: 81 }] }) },
    `${c}.ports[0].hostPort: Invalid value: 81: must match \`containerPort\` when \`hostNetwork\` is true`,
  ],
  variables: [
    container({
      env: [
        { name: 'a=b' },
        { value: 'x' },
        { name: 'a', valueFrom: {} },
        { name: 'b', value: 'x', valueFrom: { secretKeyRef: { name: 's', key: 'a/k' } } },
      ],
    }),
    `${c}.env[0].name: Invalid value: "a=b": a valid environment variable name must consist only of printable ASCII characters other than '='`,
    `${c}.env[1].name: Required value`,
    `${c}.env[2].valueFrom: Invalid value: "": must specify one of: \`fieldRef\`, \`resourceFieldRef\`, \`configMapKeyRef\` or \`secretKeyRef\``,
    `${c}.env[3].valueFrom.secretKeyRef.key: Invalid value: "a/k": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')`,
    `${c}.env[3].valueFrom: Invalid value: "": may not be specified when \`value\` is not empty`,
  ],
  'field references': [
    container({
      env: ['metadata.labels', "metadata.labels['a b']", "spec.nodeName['x']", 'spec.nothing'].map((fieldPath, i) => ({
        name: `v${i}`,
        valueFrom: { fieldRef: { fieldPath } },
      })),
    }),
    `${c}.env[0].valueFrom.fieldRef.fieldPath: Unsupported value: "metadata.labels": supported values: "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName", "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"`,
    `${c}.env[1].valueFrom.fieldRef: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    `${c}.env[2].valueFrom.fieldRef.fieldPath: Invalid value: "spec.nodeName['x']": error converting fieldPath: field label does not support subscript: spec.nodeName['x']`,
    `${c}.env[3].valueFrom.fieldRef.fieldPath: Invalid value: "spec.nothing": error converting fieldPath: field label not supported: spec.nothing`,
  ],
  'a divisor of cpu': [
    container({ env: [{ name: 'a', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '1Ki' } } }] }),
    `${c}.env[0].valueFrom.resourceFieldRef.divisor: Invalid value: "limits.cpu": only divisor's values 1m and 1 are supported with the cpu resource`,
  ],
  'variables from nothing': [
    container({ envFrom: [{}] }),
    `${c}.envFrom: Invalid value: "": must specify one of: \`configMapRef\` or \`secretRef\``,
  ],
  requests: [
    container({ resources: { requests: { cpu: '2', memory: '-1', 'example.com/a': '1' }, limits: { cpu: '1', 'example.com/b': '500m' } } }),
    `${c}.resources.limits[example.com/b]: Invalid value: "500m": must be an integer`,
    `${c}.resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1`,
    `${c}.resources.limits: Required value: Limit must be set for non overcommitable resources`,
    `${c}.resources.requests[memory]: Invalid value: "-1": must be greater than or equal to 0`,
    `${c}.resources.requests[example.com/b]: Invalid value: "500m": must be an integer`,
  ],
  'names of resources': [
    container({ resources: { limits: { storage: '1', 'kubernetes.io/x': '1' } } }),
    `${c}.resources.limits[storage]: Invalid value: storage: must be a standard resource for containers`,
    `${c}.resources.requests[storage]: Invalid value: storage: must be a standard resource for containers`,
  ],
  mounts: [
    {
      ...container({
        volumeMounts: [
          { name: 'v', mountPath: '/a', subPath: '/x' },
          { name: 'w', mountPath: '/a' },
        ],
      }),
      volumes: [{ name: 'v', emptyDir: {} }],
    },
    `${c}.volumeMounts.subPath: Invalid value: "/x": must be a relative path`,
    `${c}.volumeMounts[1].name: Not found: "w"`,
    `${c}.volumeMounts[1].mountPath: Invalid value: "/a": must be unique`,
  ],
  'recursive read only': [
    {
      ...container({ volumeMounts: [{ name: 'v', mountPath: '/a', recursiveReadOnly: 'Enabled' }] }),
      volumes: [{ name: 'v', emptyDir: {} }],
    },
    `${c}.volumeMounts.recursiveReadOnly: Forbidden: may only be specified when readOnly is true`,
  ],
  devices: [
    { ...container({ volumeDevices: [{ name: 'v', devicePath: '/dev/../x' }] }), volumes: [{ name: 'v', emptyDir: {} }] },
    `${c}.volumeDevices[0].name: Invalid value: "v": can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode`,
    `${c}.volumeDevices[0].devicePath: Invalid value: "/dev/../x": can not contain backsteps ('..')`,
  ],
  probes: [
    container({
      livenessProbe: { successThreshold: 2, exec: {} },
      readinessProbe: { periodSeconds: -1, tcpSocket: { port: 'UP' } },
      startupProbe: {},
    }),
    `${c}.livenessProbe.exec.command: Required value`,
    `${c}.livenessProbe.successThreshold: Invalid value: 2: must be 1`,
    `${c}.readinessProbe.tcpSocket.port: Invalid value: "UP": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)`,
    `${c}.readinessProbe.tcpSocket.port: Invalid value: "UP": must contain at least one letter (a-z)`,
    `${c}.readinessProbe.periodSeconds: Invalid value: -1: must be greater than or equal to 0`,
    `${c}.startupProbe: Required value: must specify a handler type`,
  ],
  sleep: [
    container({ lifecycle: { preStop: { sleep: { seconds: 31 } } } }),
    `${c}.lifecycle.preStop.sleep: Invalid value: 31: must be non-negative and less than terminationGracePeriodSeconds (30)`,
  ],
  'init containers': [
    {
      initContainers: [
        { name: 'c', image: 'i', livenessProbe: { exec: { command: ['x'] } } },
        { name: 's', image: 'i', restartPolicy: 'Never' },
      ],
    },
    'spec.initContainers[0].name: Duplicate value: "c"',
    'spec.initContainers[0].livenessProbe: Forbidden: may not be set for init containers without restartPolicy=Always',
    'spec.initContainers[1].restartPolicy: Unsupported value: "Never": supported values: "Always"',
  ],
  'resize policies': [
    container({
      resizePolicy: [
        { resourceName: 'cpu', restartPolicy: 'Maybe' },
        { resourceName: 'cpu', restartPolicy: 'NotRequired' },
      ],
    }),
    `${c}.resizePolicy: Unsupported value: "Maybe": supported values: "NotRequired", "RestartContainer"`,
    `${c}.resizePolicy[1]: Duplicate value: cpu`,
  ],
  security: [
    {
      hostPID: true,
      shareProcessNamespace: true,
      securityContext: { fsGroup: -1, sysctls: [{ name: 'A' }], seccompProfile: { type: 'Localhost' } },
      ...container({ securityContext: { procMount: 'Unmasked', appArmorProfile: {} } }),
    },
    `${c}.securityContext.procMount: Invalid value: "Unmasked": \`hostUsers\` must be false to use \`Unmasked\``,
    `${c}.securityContext.appArmorProfile.type: Required value: type is required when appArmorProfile is set`,
    'spec.securityContext.fsGroup: Invalid value: -1: must be between 0 and 2147483647, inclusive',
    'spec.securityContext.shareProcessNamespace: Invalid value: true: ShareProcessNamespace and HostPID cannot both be enabled',
    'spec.securityContext.sysctls[0].name: Invalid value: "A": must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$',
    'spec.securityContext.seccompProfile.localhostProfile: Required value: must be set when seccomp type is Localhost',
  ],
  'sysctls of the host': [
    {
      hostIPC: true,
      hostNetwork: true,
      securityContext: { sysctls: [{ name: 'kernel.shm_rmid_forced' }, { name: 'net/core/somaxconn' }] },
    },
    `spec.securityContext.sysctls[0].name: Invalid value: "kernel.shm_rmid_forced": may not be specified when 'hostIPC' is true`,
    `spec.securityContext.sysctls[1].name: Invalid value: "net/core/somaxconn": may not be specified when 'hostNetwork' is true`,
  ],
  'a user namespace of its own': [{ hostUsers: false, hostPID: true }, 'spec.HostPID: Forbidden: when `pod.Spec.HostUsers` is false'],
  windows: [
    { os: { name: 'windows' }, hostIPC: true, securityContext: { runAsUser: 1 }, ...container({ securityContext: { privileged: false } }) },
    'spec.hostIPC: Forbidden: cannot be set for a windows pod',
    'spec.securityContext.runAsUser: Forbidden: cannot be set for a windows pod',
    `${c}.securityContext.privileged: Forbidden: cannot be set for a windows pod`,
  ],
  'node affinity': [
    {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [
              {
                matchExpressions: [{ key: 'a', operator: 'Exists', values: ['x'] }],
                matchFields: [{ key: 'metadata.uid', operator: 'In', values: ['x'] }],
              },
            ],
          },
        },
      },
    },
    "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
    'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchFields[0].key: Invalid value: "metadata.uid": not a valid field selector key',
  ],
  'pod affinity': [
    {
      affinity: {
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            {
              weight: 0,
              podAffinityTerm: {
                topologyKey: 'zone',
                labelSelector: { matchLabels: { a: 'b' } },
                matchLabelKeys: ['k'],
                mismatchLabelKeys: ['k'],
              },
            },
          ],
        },
      },
    },
    'spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 0: must be in the range 1-100',
    'spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.matchLabelKeys[0]: Invalid value: "k": exists in both matchLabelKeys and mismatchLabelKeys',
  ],
  'spread constraints': [
    {
      topologySpreadConstraints: [
        { maxSkew: 0, topologyKey: 'z', whenUnsatisfiable: 'ScheduleAnyway', minDomains: 1 },
        { maxSkew: 1, topologyKey: 'z', whenUnsatisfiable: 'ScheduleAnyway', matchLabelKeys: ['a'] },
      ],
    },
    'spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero',
    'spec.topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}: Duplicate value: "{z, ScheduleAnyway}"',
    'spec.topologySpreadConstraints[0].minDomains: Invalid value: 1: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway',
    'spec.topologySpreadConstraints[1].matchLabelKeys: Forbidden: must not be specified when labelSelector is not set',
  ],
  tolerations: [
    { tolerations: [{}, { key: 'a', operator: 'Exists', value: 'x', effect: 'Now', tolerationSeconds: 1 }] },
    'spec.tolerations[0].operator: Invalid value: "": operator must be Exists when `key` is empty, which means "match all values and all keys"',
    `spec.tolerations[1].effect: Invalid value: "Now": effect must be 'NoExecute' when \`tolerationSeconds\` is set`,
    `spec.tolerations[1].operator: Invalid value: "x": value must be empty when \`operator\` is 'Exists'`,
    'spec.tolerations[1].effect: Unsupported value: "Now": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
  ],
  dns: [
    { dnsPolicy: 'None', dnsConfig: { nameservers: ['1.2.3'], searches: ['.', '_a.b.'], options: [{}] } },
    'spec.dnsConfig.nameservers[0]: Invalid value: "1.2.3": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    'spec.dnsConfig.options[0]: Required value: must not be empty',
  ],
  gates: [
    { schedulingGates: [{ name: 'a' }, { name: 'a' }], nodeName: 'n' },
    'spec.schedulingGates[1]: Duplicate value: "a"',
    'spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared',
  ],
  'ephemeral containers': [
    { ephemeralContainers: [{ name: 'e', image: 'i' }] },
    'spec.ephemeralContainers: Forbidden: cannot be set on create',
  ],
  scalars: [
    { activeDeadlineSeconds: 0, hostname: 'A', runtimeClassName: '', preemptionPolicy: 'Maybe', overhead: { cpu: '-1' } },
    'spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive',
    `spec.hostname: Invalid value: "A": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
    `spec.runtimeClassName: Invalid value: "": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
    'spec.preemptionPolicy: Unsupported value: "Maybe": supported values: "PreemptLowerPriority", "Never"',
    'spec.overhead.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0',
  ],
}

describe('resources/core/pod-spec/validation', () => {
  for (const [name, [spec, ...errors]] of Object.entries(cases)) {
    it(name, () => expect(createPod(podWith(spec))).to.deep.equal(errors))
  }
})
