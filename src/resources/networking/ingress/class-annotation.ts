/** Annotation that named the class of an ingress before `spec.ingressClassName` existed. */
export const CLASS_ANNOTATION = 'kubernetes.io/ingress.class'
