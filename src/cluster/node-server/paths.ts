/**
 * A request for a container of a pod, or for the pod alone, as kubelets' paths name it:
 * `/exec/NAMESPACE/POD/CONTAINER`, or with the uid before the container.
 */
export interface PodPath {
  readonly namespace: string
  readonly pod: string
  /** Undefined if the path has none. */
  readonly uid?: string
  /** Empty for a request for the pod. */
  readonly container: string
}

/**
 * Parses the parts of a path behind its first. Undefined if their number is wrong. @param ofContainer whether the path
 * names a container.
 */
export function podPath(parts: readonly string[], ofContainer: boolean): PodPath | undefined {
  const most = ofContainer ? 4 : 3
  if (parts.length !== most && parts.length !== most - 1) return undefined
  const [namespace = '', pod = ''] = parts
  const uid = parts.length === most ? parts[2] : undefined
  return { namespace, pod, container: ofContainer ? (parts.at(-1) ?? '') : '', ...(uid !== undefined && { uid }) }
}

/** Returns the decoded parts of a path. Undefined if an escape is invalid. */
export function pathParts(path: string): string[] | undefined {
  try {
    return path.split('/').slice(1).map(decodeURIComponent)
  } catch {
    return undefined
  }
}
