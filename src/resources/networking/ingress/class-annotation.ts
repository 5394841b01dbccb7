/** Named an ingress's class before `spec.ingressClassName` did. */
export const CLASS_ANNOTATION = 'kubernetes.io/ingress.class'
