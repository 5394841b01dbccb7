/** Addresses of the pod and of its node. */
export const ADDRESSES = `{{ with NodeIPsWith .spec.nodeName }}
hostIP: {{ index . 0 | Quote }}
hostIPs:
{{ range . }}
- ip: {{ . | Quote }}
{{ end }}
{{ end }}
{{ with PodIPsWith .spec.nodeName (or .spec.hostNetwork false) (or .metadata.uid "") (or .metadata.name "") (or .metadata.namespace "") }}
podIP: {{ index . 0 | Quote }}
podIPs:
{{ range . }}
- ip: {{ . | Quote }}
{{ end }}
{{ end }}
`

/** A condition that is true. */
export const trueCondition = (type: string): string => `- type: ${type}
  status: "True"
  lastProbeTime: null
  lastTransitionTime: {{ Now | Quote }}
`

/** A condition that is false, with a reason and a message about containers. */
export const falseCondition = (type: string, reason: string, message: string, containers: string): string => `- type: ${type}
  status: "False"
  reason: ${reason}
  message: '${message} [{{ range ${containers} }} {{ .name }} {{ end }}]'
  lastProbeTime: null
  lastTransitionTime: {{ Now | Quote }}
`

/** Conditions of the pod's readiness gates. */
export const READINESS_GATES = `{{ range .spec.readinessGates }}
- type: {{ .conditionType | Quote }}
  status: "True"
  lastTransitionTime: {{ Now | Quote }}
{{ end }}
`

/** Status of a container that runs. */
const RUNNING = `  ready: true
  started: true
  state:
    running:
      startedAt: {{ Now | Quote }}
`

/** Status of a container that has ended well. Containers of a pod keep the time at which they started. */
const COMPLETED = `  ready: READY
  started: false
  state:
    terminated:
      exitCode: 0
      reason: Completed
      startedAt: {{ or $running.startedAt Now | Quote }}
      finishedAt: {{ Now | Quote }}
`

const waiting = (reason: string): string => `  ready: false
  started: false
  state:
    waiting:
      reason: ${reason}
`

/**
 * Statuses of containers, in their order. `body` renders the rest of one; `$old` is its present status, and `$running`
 * its running state.
 */
function statuses(field: string, containers: string, body: string): string {
  return `{{ $present := dict }}
{{ range .status.${field} }}{{ $_ := set $present .name . }}{{ end }}
${field}:
{{ range ${containers} }}
{{ $old := or (index $present .name) dict }}
{{ $state := or $old.state dict }}
{{ $running := or $state.running dict }}
- name: {{ .name | Quote }}
  image: {{ .image | Quote }}
  imageID: {{ or $old.imageID "" | Quote }}
  restartCount: {{ or $old.restartCount 0 }}
${body}{{ end }}
`
}

/** The containers run. */
export const CONTAINERS_RUNNING = statuses('containerStatuses', '.spec.containers', RUNNING)
/** The containers have ended with code 0. */
export const CONTAINERS_COMPLETED = statuses('containerStatuses', '.spec.containers', COMPLETED.replace('READY', 'false'))
/** Containers wait for those before them. */
export const CONTAINERS_WAIT_FOR_INIT = statuses('containerStatuses', '.spec.containers', waiting('PodInitializing'))
/** The containers are being created. */
export const CONTAINERS_WAIT = statuses('containerStatuses', '.spec.containers', waiting('ContainerCreating'))
export const INIT_CONTAINERS_WAIT = statuses('initContainerStatuses', '.spec.initContainers', waiting('PodInitializing'))
export const INIT_CONTAINERS_RUNNING = statuses('initContainerStatuses', '.spec.initContainers', RUNNING)
/** Init containers have ended, except sidecars, which go on. */
export const INIT_CONTAINERS_COMPLETED = statuses(
  'initContainerStatuses',
  '.spec.initContainers',
  `{{ if eq .restartPolicy "Always" }}
${RUNNING}{{ else }}
${COMPLETED.replace('READY', 'true')}{{ end }}
`,
)
