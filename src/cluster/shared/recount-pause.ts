/** Objects of fewer pods are processed again at once after the change of a pod. */
const MANY_PODS = 1000
/** Pods of a larger one for each millisecond until it is processed again. */
const PODS_PER_MS = 100
const LONGEST_PAUSE_MS = 1000

/**
 * Returns the milliseconds in which changes of an object's pods are counted together. Counting takes about a microsecond
 * for each pod, so an object whose pods all change would take a time that grows with their square.
 */
export const recountPause = (pods: number): number => (pods < MANY_PODS ? 0 : Math.min(pods / PODS_PER_MS, LONGEST_PAUSE_MS))
