/** Rules of an object for one pod, or for the pods that a selector matches. */
export interface PodRules<R> {
  /** Namespace and name of the pod. Undefined for an object of the cluster. */
  readonly pod: { readonly namespace: string; readonly name: string } | undefined
  /** Namespaces and names of pods that an object of the cluster matches. An empty list matches all. */
  readonly namespaces: readonly string[]
  readonly names: readonly string[]
  readonly rules: readonly R[]
}

/** A rule for containers. A rule without names applies to those that no other rule names. */
export interface ContainerRule {
  readonly containers: readonly string[]
}

/**
 * Finds the rule of a pod. An object with the name of the pod decides alone, even if none of its rules applies;
 * otherwise the first object of the cluster that matches and has a rule. Source: kwok, pkg/kwok/server.
 */
export function ruleFor<R>(
  objects: readonly PodRules<R>[],
  namespace: string,
  name: string,
  find: (rules: readonly R[]) => R | undefined,
): R | undefined {
  const own = objects.find(({ pod }) => pod?.namespace === namespace && pod.name === name)
  if (own !== undefined) return find(own.rules)
  for (const { pod, namespaces, names, rules } of objects) {
    if (pod !== undefined || !isOneOfOrAll(namespaces, namespace) || !isOneOfOrAll(names, name)) continue
    const rule = find(rules)
    if (rule !== undefined) return rule
  }
  return undefined
}

const isOneOfOrAll = (values: readonly string[], value: string): boolean => values.length === 0 || values.includes(value)

/** Returns the rule that names a container, or else the first one without names. */
export const ruleOfContainer = <R extends ContainerRule>(rules: readonly R[], container: string): R | undefined =>
  rules.find(({ containers }) => containers.includes(container)) ?? rules.find(({ containers }) => containers.length === 0)

/** Returns the rule that names a port, or else the first one without ports. */
export const ruleOfPort = <R extends { readonly ports: readonly number[] }>(rules: readonly R[], port: number): R | undefined =>
  rules.find(({ ports }) => ports.includes(port)) ?? rules.find(({ ports }) => ports.length === 0)
