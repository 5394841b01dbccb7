/** Credentials are embedded, so that the file works without others. */
export interface KubeconfigOptions {
  /** `https://127.0.0.1:6443`. */
  readonly server: string
  /** PEM. */
  readonly ca: string
  readonly user: string
  /** PEM. */
  readonly cert: string
  /** PEM. */
  readonly key: string
}

/** A kubeconfig with one context, `binnacle`. https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/ */
export function kubeconfig({ server, ca, user, cert, key }: KubeconfigOptions): string {
  const base64 = (pem: string): string => Buffer.from(pem).toString('base64')
  return `apiVersion: v1
kind: Config
current-context: binnacle
clusters:
- name: binnacle
  cluster:
    server: ${server}
    certificate-authority-data: ${base64(ca)}
contexts:
- name: binnacle
  context:
    cluster: binnacle
    user: ${user}
users:
- name: ${user}
  user:
    client-certificate-data: ${base64(cert)}
    client-key-data: ${base64(key)}
`
}
