/** An event of a pod. `container` is the path of the container that it is about. */
export interface PodEvent {
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
  /** Omitted if the event is about the whole pod. */
  readonly container?: string
}

/** Failed pulls of the images of a pod's containers, which are kept in memory as in a kubelet. */
export type Pulls = Map<string, { readonly failed: number; readonly nextAt: number }>

/**
 * Failed attempts of probes since the container has started, by the names of the container and the probe. They are kept
 * in memory as in a kubelet.
 */
export type ProbeFailures = Map<string, { readonly startedAt: number; readonly failed: number; readonly nextAt: number }>

/** Messages of the events of a container that starts. */
export interface StartMessages {
  readonly pulled: string
  readonly created: string
  readonly started: string
}

/** Differences of releases that show in the status and events of a pod. */
export interface LifeRules {
  /** Type of the condition that the sandbox of the pod is ready. Undefined if the release has none. */
  readonly sandboxCondition: 'PodReadyToStartContainers' | undefined
  /** Whether statuses list all addresses of the node. */
  readonly hasHostIPs: boolean
  /** Whether containers report the resources that they have, and are resized. */
  readonly reportsResources: boolean
  /** Whether the state of a resize is reported in conditions. Otherwise it is a member of the status. */
  readonly hasResizeConditions: boolean
  /** Whether a resize that is done is an event. */
  readonly reportsResizes: boolean
  /** Whether statuses and conditions carry the generation of the pod. */
  readonly reportsGeneration: boolean
  /** Whether an evicted pod has the condition DisruptionTarget. */
  readonly hasDisruptionTarget: boolean
  /** Returns the messages of the events of a container that starts, by its name and image. */
  readonly startMessages: (name: string, image: string) => StartMessages
  /** Whether a container that waits for the next pull of its image shows the error of the last one. */
  readonly showsPullError: boolean
  /** Start of the message of a rejected pod: `Pod was rejected: `. */
  readonly rejectionPrefix: string
}

/** One look at a pod: the time and rules, and what the look leads to besides a status. */
export interface Turn {
  /** Milliseconds since the epoch. */
  readonly now: number
  /** `now`, as statuses have it. */
  readonly time: string
  readonly rules: LifeRules
  readonly podName: string
  /** Updated by the look. */
  readonly pulls: Pulls
  /** Updated by the look. */
  readonly probes: ProbeFailures
  /** Events that the look has led to, in order. */
  readonly events: PodEvent[]
  /** Time of the next look if nothing changes before, in milliseconds since the epoch. Infinity if there is none. */
  wake: number
}

/** Sets the time of the next look, unless it is earlier already. */
export function wakeAt(turn: Turn, at: number): void {
  turn.wake = Math.min(turn.wake, at)
}

/** Returns the pod's event of a container. @param path such as `spec.containers{web}` */
export const containerEvent = (type: PodEvent['type'], reason: string, message: string, path: string): PodEvent => ({
  type,
  reason,
  message,
  container: path,
})
