import type { JsonObject } from '../../../api/meta/object.ts'
import { conditionStatus, hasPhase, type QueryRequirement, stageObject, statusStep } from './stage-object.ts'

const READY = conditionStatus('Ready')

/** Healthy conditions. A condition keeps the time of its last transition if its status does not change. */
const CONDITIONS = `{{ $now := Now }}
{{ $before := dict }}
{{ range .status.conditions }}{{ $_ := set $before .type . }}{{ end }}
conditions:
{{ range NodeConditions }}
{{ $old := or (index $before .type) dict }}
- type: {{ .type | Quote }}
  status: {{ .status | Quote }}
  reason: {{ .reason | Quote }}
  message: {{ .message | Quote }}
  lastHeartbeatTime: {{ $now | Quote }}
  {{ if eq $old.status .status }}
  lastTransitionTime: {{ $old.lastTransitionTime | Quote }}
  {{ else }}
  lastTransitionTime: {{ $now | Quote }}
  {{ end }}
{{ end }}
`

/** Addresses that the node lacks, the port of its kubelet, and what it can hold. */
const CAPACITY = `{{ $types := list }}
{{ range .status.addresses }}{{ $types = append $types .type }}{{ end }}
{{ $ip := ternary "" NodeIP (has "InternalIP" $types) }}
{{ $name := ternary "" NodeName (has "Hostname" $types) }}
{{ if or $ip $name }}
addresses:
{{ with $ip }}
- type: InternalIP
  address: {{ . | Quote }}
{{ end }}
{{ with $name }}
- type: Hostname
  address: {{ . | Quote }}
{{ end }}
{{ end }}
{{ with NodePort }}
daemonEndpoints:
  kubeletEndpoint:
    Port: {{ . }}
{{ end }}
{{ $default := dict "cpu" "1k" "memory" "1Ti" "pods" "1M" }}
capacity:
{{ YAML (or .status.capacity $default) 1 }}
allocatable:
{{ YAML (or .status.allocatable .status.capacity $default) 1 }}
`

const INFO = `{{ $info := or .status.nodeInfo dict }}
{{ $version := printf "kwok-%s" Version }}
nodeInfo:
  architecture: {{ or $info.architecture "amd64" | Quote }}
  bootID: {{ or $info.bootID "" | Quote }}
  containerRuntimeVersion: {{ or $info.containerRuntimeVersion $version | Quote }}
  kernelVersion: {{ or $info.kernelVersion $version | Quote }}
  kubeProxyVersion: {{ or $info.kubeProxyVersion $version | Quote }}
  kubeletVersion: {{ or $info.kubeletVersion $version | Quote }}
  machineID: {{ or $info.machineID "" | Quote }}
  operatingSystem: {{ or $info.operatingSystem "linux" | Quote }}
  osImage: {{ or $info.osImage "" | Quote }}
  systemUUID: {{ or $info.systemUUID "" | Quote }}
phase: Running
`

/** A node that is not ready reports capacity, addresses and healthy conditions. */
export const NODE_INITIALIZE: JsonObject = stageObject('node-initialize', 'Node', [{ key: READY, operator: 'NotIn', values: ['True'] }], {
  steps: [statusStep(CONDITIONS + CAPACITY + INFO)],
})

const HEALTHY: readonly QueryRequirement[] = [hasPhase('Running'), { key: READY, operator: 'In', values: ['True'] }]

/** A node without a lease reports its conditions every 20 to 25 seconds. */
export const NODE_HEARTBEAT: JsonObject = stageObject('node-heartbeat', 'Node', HEALTHY, {
  delay: { durationMilliseconds: 20_000, jitterDurationMilliseconds: 25_000 },
  steps: [statusStep(CONDITIONS)],
  immediateNextStage: true,
})

/** A node with a lease, which is renewed elsewhere, reports its conditions every ten minutes. */
export const NODE_HEARTBEAT_WITH_LEASE: JsonObject = stageObject('node-heartbeat-with-lease', 'Node', HEALTHY, {
  delay: { durationMilliseconds: 600_000, jitterDurationMilliseconds: 610_000 },
  steps: [statusStep(CONDITIONS)],
  immediateNextStage: true,
})
