/** A check of the health endpoints. Throws, with the reason, where it fails. */
export interface ReadinessCheck {
  readonly name: string
  readonly endpoints?: readonly 'readyz'[]
  check(): void | Promise<void>
}

/** What has to be done once, before the server is ready, and what is told while it is not. The names of checks are kube-apiserver's. */
const MISSING = {
  'bootstrap-controller': 'the objects of a new cluster are not made yet',
  'autoregister-completion': 'APIServices of group versions that are served are missing yet',
  'crd-informer-synced': 'the custom resource definitions are not served yet',
} as const

type Step = keyof typeof MISSING | 'roles made' | 'rules known'

/** How far the start has come. */
export class Readiness {
  readonly checks: readonly ReadinessCheck[]
  private readonly done = new Set<Step>()

  /** `withRoles`: an authorizer reads roles, which have to be made and known. */
  constructor(cachesFilled: () => boolean, withRoles: boolean) {
    const steps = Object.entries(MISSING).map(([name, why]) => onReadyz(name, () => this.done.has(name as Step), why))
    this.checks = [
      onReadyz('informer-sync', cachesFilled, 'the caches are not filled yet'),
      ...steps,
      ...(withRoles
        ? [onReadyz('rbac-bootstrap-roles', () => this.done.has('roles made') && this.done.has('rules known'), 'the default roles are not made yet')]
        : []),
    ]
  }

  reached(step: Step): void {
    this.done.add(step)
  }
}

const onReadyz = (name: string, ready: () => boolean, why: string): ReadinessCheck => ({
  name,
  endpoints: ['readyz'],
  check: () => {
    if (!ready()) throw new Error(why)
  },
})
