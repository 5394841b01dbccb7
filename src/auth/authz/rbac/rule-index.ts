import type { PolicyRule, Role, RoleBinding, RoleRef, Subject } from '../../../api/rbac/v1.types.ts'
import { quote } from '../../../lib/go-quote.ts'
import { isStepDone, runAtOnce, type Steps } from '../../../lib/steps.ts'
import type { User } from '../../../meta/context.ts'

/** Resources of rbac.authorization.k8s.io. */
export type RbacResource = RoleResource | BindingResource
/** Resources of roles. The namespace of a key, not the resource, tells them apart in the index. */
export type RoleResource = 'clusterroles' | 'roles'
/** Resources of bindings. */
export type BindingResource = 'clusterrolebindings' | 'rolebindings'

/** A RoleBinding, or a ClusterRoleBinding, whose namespace is empty. */
interface IndexedBinding {
  readonly namespace: string
  readonly name: string
  /** Role, whose existence is checked at each lookup. */
  readonly roleRef: RoleRef
  /** Subjects in the order of the object. */
  readonly subjects: readonly Subject[]
}

/** Rules that a binding grants to the user. */
export interface RuleGrant {
  /** Rules of the role, shared with the index. Empty if the role does not exist. */
  readonly rules: readonly PolicyRule[]
  /** Describes the binding: `ClusterRoleBinding "x" of ClusterRole "y" to Group "z"`. */
  readonly source: () => string
}

/** A binding with the rules of its role. */
export interface BoundRole {
  /** Namespace of the binding. Empty for a ClusterRoleBinding. */
  readonly namespace: string
  /** Name of the binding. */
  readonly name: string
  /** Role that the binding refers to. */
  readonly role: { readonly kind: string; readonly name: string }
  /** Undefined if no subject matches the user. */
  readonly subject: { readonly kind: string; readonly name: string } | undefined
  /** Rules of the role, shared with the index. */
  readonly rules: readonly PolicyRule[]
}

/** A binding that names a subject. */
interface SubjectEntry {
  /** Key of the binding. */
  readonly key: string
  readonly binding: IndexedBinding
  /** The first of the binding's subjects with this index key. */
  readonly subject: Subject
}

/**
 * Bindings of a subject by key. Most subjects of a binding that has very many are in no other one, so a single one
 * needs no map.
 */
type SubjectEntries = SubjectEntry | Map<string, SubjectEntry>

const NO_RULES: readonly PolicyRule[] = []

const roleKey = (namespace: string, name: string): string => `${namespace}/${name}`

/**
 * Index key of a subject. A service account and the user that represents it have the same key. Undefined for a service
 * account without namespace.
 */
function subjectKey(subject: Subject, namespace: string): string | undefined {
  switch (subject.kind) {
    case 'User':
      return `user:${subject.name}`
    case 'Group':
      return `group:${subject.name}`
    case 'ServiceAccount': {
      const subjectNamespace = subject.namespace || namespace
      return subjectNamespace === '' ? undefined : `user:system:serviceaccount:${subjectNamespace}:${subject.name}`
    }
    default:
      return undefined
  }
}

/**
 * Roles and bindings, indexed by namespace and subject: a lookup takes two map reads for the user and for each group.
 * Maintained by its owner (`putRole`, `putBinding`, `removeRole`, `removeBinding`). Returned values are shared and must
 * not be changed.
 */
export class RuleIndex {
  readonly #roles = new Map<string, readonly PolicyRule[]>()
  readonly #bindings = new Map<string, IndexedBinding>()
  /** Namespace ('' for ClusterRoleBindings) to subject key to bindings. */
  readonly #bySubject = new Map<string, Map<string, SubjectEntries>>()

  /** Adds or replaces a Role or ClusterRole. */
  putRole({ metadata: { namespace = '', name = '' }, rules }: Role): void {
    this.#roles.set(roleKey(namespace, name), rules ?? [])
  }

  /** Adds or replaces a binding. */
  putBinding(object: RoleBinding): void {
    runAtOnce(this.putBindingInSteps(object))
  }

  /**
   * `putBinding` in steps, for bindings that may have many subjects. Meanwhile subjects of both the old and the new
   * binding have its rights. If the binding is replaced or removed meanwhile, no further subjects are added, but the
   * steps must be run to their end, which removes those of the old binding.
   */
  *putBindingInSteps({ metadata: { namespace = '', name = '' }, roleRef, subjects = [] }: RoleBinding): Steps<void> {
    const key = roleKey(namespace, name)
    const old = this.#bindings.get(key)
    const binding: IndexedBinding = { namespace, name, roleRef, subjects }
    this.#bindings.set(key, binding)
    for (const subject of subjects) {
      if (isStepDone()) yield
      if (this.#bindings.get(key) !== binding) break
      const who = subjectKey(subject, namespace)
      if (who !== undefined) setEntry(this.#subjectsOf(namespace), who, { key, binding, subject })
    }
    if (old) yield* this.#leaveAll(old, key)
  }

  /** Removes a Role or ClusterRole. */
  removeRole(namespace: string, name: string): void {
    this.#roles.delete(roleKey(namespace, name))
  }

  /**
   * Removes a binding. It grants nothing more from the first step on. The steps must be run to their end, which removes
   * its subjects.
   */
  *removeBinding(namespace: string, name: string): Steps<void> {
    const key = roleKey(namespace, name)
    const old = this.#bindings.get(key)
    this.#bindings.delete(key)
    if (old) yield* this.#leaveAll(old, key)
  }

  /** Keys `namespace/name` of all objects of a resource. */
  keys(resource: RbacResource): string[] {
    const all = resource === 'clusterroles' || resource === 'roles' ? this.#roles : this.#bindings
    const ofCluster = resource === 'clusterroles' || resource === 'clusterrolebindings'
    return [...all.keys()].filter(key => key.startsWith('/') === ofCluster)
  }

  /**
   * Yields the grants of the user: first cluster-wide ones, then those of the namespace ('' for none). @param onError
   * called for bindings whose role does not exist, before a grant without rules, so that the caller can interrupt the
   * work for very many of them.
   */
  *grants(user: User, namespace: string, onError: (text: string) => void): Generator<RuleGrant> {
    yield* this.#grantsIn('', user, onError)
    if (namespace !== '') yield* this.#grantsIn(namespace, user, onError)
  }

  /**
   * Yields every binding whose role exists, with the subject that matches the user. Scans all bindings; for display.
   */
  *bound(user: User): Generator<BoundRole> {
    const mine = new Set([`user:${user.name}`, ...user.groups.map(group => `group:${group}`)])
    for (const { namespace, name, roleRef, subjects } of this.#bindings.values()) {
      const rules = this.#rulesOf({ namespace, name, roleRef, subjects })
      if (typeof rules === 'string') continue
      const subject = subjects.find(each => mine.has(subjectKey(each, namespace) ?? ''))
      yield {
        namespace,
        name,
        role: { kind: roleRef.kind, name: roleRef.name },
        subject: subject && { kind: subject.kind, name: subject.name },
        rules,
      }
    }
  }

  /** Yields the grants of one namespace, each binding once, for the user and its groups. */
  *#grantsIn(namespace: string, user: User, onError: (text: string) => void): Generator<RuleGrant> {
    const subjects = this.#bySubject.get(namespace)
    if (subjects === undefined) return
    const seen = new Set<string>()
    for (let i = -1; i < user.groups.length; i++) {
      const entries = subjects.get(i < 0 ? `user:${user.name}` : `group:${user.groups[i]}`)
      if (entries === undefined) continue
      for (const { key, binding, subject } of entries instanceof Map ? entries.values() : [entries]) {
        // Subjects of a removed binding leave the index in steps.
        if (seen.has(key) || !this.#bindings.has(key)) continue
        seen.add(key)
        const rules = this.#rulesOf(binding)
        if (typeof rules === 'string') onError(rules)
        yield { rules: typeof rules === 'string' ? NO_RULES : rules, source: () => describeBinding(binding, subject) }
      }
    }
  }

  /** Returns the rules of the binding's role, or an error. */
  #rulesOf({ namespace, roleRef }: IndexedBinding): readonly PolicyRule[] | string {
    switch (roleRef.kind) {
      case 'ClusterRole':
        return this.#roles.get(roleKey('', roleRef.name)) ?? `clusterrole.rbac.authorization.k8s.io ${quote(roleRef.name)} not found`
      case 'Role':
        return this.#roles.get(roleKey(namespace, roleRef.name)) ?? `role.rbac.authorization.k8s.io ${quote(roleRef.name)} not found`
      default:
        return `unsupported role reference kind: ${quote(roleRef.kind)}`
    }
  }

  /** Entries of a namespace by subject. Created if needed. */
  #subjectsOf(namespace: string): Map<string, SubjectEntries> {
    const known = this.#bySubject.get(namespace)
    if (known !== undefined) return known
    const made = new Map<string, SubjectEntries>()
    this.#bySubject.set(namespace, made)
    return made
  }

  /** Removes a binding that was replaced or removed from its subjects. */
  *#leaveAll({ namespace, subjects }: IndexedBinding, key: string): Steps<void> {
    for (const subject of subjects) {
      if (isStepDone()) yield
      const who = subjectKey(subject, namespace)
      if (who !== undefined) this.#leave(namespace, who, key)
    }
  }

  /** Removes a binding from those of a subject, unless it is the present one of its key. */
  #leave(namespace: string, who: string, key: string): void {
    const subjects = this.#bySubject.get(namespace)
    const entries = subjects?.get(who)
    const entry = entries && entryOf(entries, key)
    if (subjects === undefined || entry === undefined || entry.binding === this.#bindings.get(key)) return
    if (entries instanceof Map) entries.delete(key)
    if (!(entries instanceof Map) || entries.size === 0) subjects.delete(who)
    if (subjects.size === 0) this.#bySubject.delete(namespace)
  }
}

/** Returns the entry of a binding. */
function entryOf(entries: SubjectEntries, key: string): SubjectEntry | undefined {
  if (entries instanceof Map) return entries.get(key)
  return entries.key === key ? entries : undefined
}

/**
 * Adds a binding to those of a subject, or replaces another of its key. If it names the subject several times, the
 * first one counts.
 */
function setEntry(known: Map<string, SubjectEntries>, who: string, entry: SubjectEntry): void {
  const entries = known.get(who)
  if (entries && entryOf(entries, entry.key)?.binding === entry.binding) return
  if (entries === undefined || (!(entries instanceof Map) && entries.key === entry.key)) known.set(who, entry)
  else if (entries instanceof Map) entries.set(entry.key, entry)
  else
    known.set(
      who,
      new Map([
        [entries.key, entries],
        [entry.key, entry],
      ]),
    )
}

/** Returns upstream's text, which appears in audit annotations and reasons. */
function describeBinding({ namespace, name, roleRef }: IndexedBinding, subject: Subject): string {
  const whose = subject.kind === 'ServiceAccount' ? `${subject.name}/${subject.namespace || namespace}` : subject.name
  const binding = namespace === '' ? `ClusterRoleBinding ${quote(name)}` : `RoleBinding ${quote(`${name}/${namespace}`)}`
  return `${binding} of ${roleRef.kind} ${quote(roleRef.name)} to ${subject.kind} ${quote(whose)}`
}
