/** The annotation of the bookmark that ends the initial events of a watch. */
export const INITIAL_END = { 'k8s.io/initial-events-end': 'true' }

/** Its annotations where objects are shown: a client learns from the empty list what a list would have looked like. */
export const initialEndAnnotations = (blueprint: Buffer) => ({ ...INITIAL_END, 'kubernetes.io/initial-events-list-blueprint': blueprint.toString('base64') })
