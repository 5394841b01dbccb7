/** Objects of fewer pods are processed again at once after the change of a pod. */
const MANY_PODS = 1000
/** Pause in relation to the time that counting takes. */
const PAUSE_PER_WORK = 10
const LONGEST_PAUSE_MS = 1000

/**
 * Returns the milliseconds in which changes of an object's pods are counted together: an object whose pods all change
 * would otherwise take a time that grows with their square.
 * @param microseconds time that processing the object takes for each pod.
 */
export const recountPause = (pods: number, microseconds = 1): number =>
  pods < MANY_PODS ? 0 : Math.min((pods * microseconds * PAUSE_PER_WORK) / 1000, LONGEST_PAUSE_MS)
