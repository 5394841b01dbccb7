/** Prefix of the annotations of nodes and pods that simulated kubelets read. */
export const KUBELET_PREFIX = 'kubelet.binnacle.dev/'

/** A node with this annotation is as if it had been switched off: it renews no lease, and its pods stay as they are. */
export const STOPPED = `${KUBELET_PREFIX}stopped`

/** Conditions that a node reports instead of healthy ones: `MemoryPressure=True,Ready=False`. */
export const CONDITIONS = `${KUBELET_PREFIX}conditions`

/** Features that a node declares instead of all that its kubelet has, separated by commas. */
export const FEATURES = `${KUBELET_PREFIX}declared-features`

/** Shipped stages that a pod, or the pods of a node, follow: `fast` or `general`. */
export const STAGES = `${KUBELET_PREFIX}stages`
