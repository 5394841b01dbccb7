import { join } from 'node:path'
import type { JsonObject } from '../../api/meta/object.ts'
import type { KubeconfigUsers } from '../../clients/kubeconfig.ts'
import type { AuthInfo } from '../../clients/kubeconfig.types.ts'
import { credentialsOf, type RemoteCredentials } from '../../clients/remote.ts'
import { type FollowedFiles, followFiles } from '../../clients/remote-files.ts'
import type { Clock } from '../../lib/clock.ts'
import { fieldErrorText, invalid } from '../../meta/field-error.ts'
import { fieldPath } from '../../meta/field-path.ts'
import { TypeRegistry } from '../../schema/idl.ts'
import { initError, type PluginConfigurations, pluginConfiguration } from '../configuration-file.ts'

/** Credentials for calls to a webhook. */
export interface WebhookUser {
  /** Without the Authorization header of a token file. */
  readonly headers: RemoteCredentials['headers']
  readonly files: FollowedFiles
}

/** Credentials of webhooks by their address. */
export interface WebhookCredentials {
  /** @param address host and port. Undefined if the webhook is called without credentials. */
  userOf(address: string): WebhookUser | undefined
}

/** Plugin whose configuration names a kubeconfig with credentials for webhooks. */
export type WebhookPluginName = 'MutatingAdmissionWebhook' | 'ValidatingAdmissionWebhook'

const KINDS = ['apiserver.config.k8s.io/v1 WebhookAdmissionConfiguration', 'apiserver.config.k8s.io/v1alpha1 WebhookAdmission']
const HTTPS = ':443'

/** Decodes the configuration of a webhook plugin. Throws AdmissionConfigError. */
export const webhookPluginConfiguration = (configurations: PluginConfigurations, plugin: WebhookPluginName): JsonObject | undefined =>
  pluginConfiguration(configurations, plugin, (apiVersion, kind) =>
    KINDS.includes(`${apiVersion} ${kind}`)
      ? new TypeRegistry()
          .addFile('webhookadmission', join(import.meta.dirname, 'webhook-admission.types'))
          .type('webhookadmission.WebhookAdmission')
      : undefined,
  )

/**
 * Reads the kubeconfig that a plugin's configuration names. Returns undefined if it names none, which releases before
 * 1.36 reject unless `mayLackFile`. Throws AdmissionConfigError with kube-apiserver's message.
 * https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#authenticate-apiservers
 */
export async function readWebhookCredentials(
  configurations: PluginConfigurations,
  plugin: WebhookPluginName,
  { clock, mayLackFile = false }: { readonly clock: Clock; readonly mayLackFile?: boolean },
): Promise<WebhookCredentials | undefined> {
  if (!configurations.has(plugin)) return undefined
  const config = webhookPluginConfiguration(configurations, plugin)
  const file = typeof config?.kubeConfigFile === 'string' ? config.kubeConfigFile : ''
  if (file === '' && mayLackFile) return undefined
  if (!file.startsWith('/'))
    throw initError(plugin, fieldErrorText(invalid(fieldPath('kubeConfigFile'), file, 'must be an absolute file path')))
  const [{ readKubeconfigUsers }, { KubeconfigError }] = await Promise.all([
    import('../../clients/kubeconfig.ts'),
    import('../../clients/kubeconfig-error.ts'),
  ])
  try {
    return await webhookCredentials(await readKubeconfigUsers(file), clock)
  } catch (error) {
    throw error instanceof KubeconfigError ? initError(plugin, error.message) : error
  }
}

/** Loads the credentials of a kubeconfig. Throws KubeconfigError if a file is missing or invalid. */
export async function webhookCredentials({ byName, current }: KubeconfigUsers, clock: Clock): Promise<WebhookCredentials> {
  const made = new Map<AuthInfo, WebhookUser>()
  for (const user of byName.values()) {
    const credentials = await credentialsOf(user)
    made.set(user, { headers: credentials.headers, files: followFiles(credentials, clock) })
  }
  return {
    userOf(address) {
      const found =
        userOfHost(byName, address) ??
        (address.endsWith(HTTPS) ? userOfHost(byName, address.slice(0, -HTTPS.length)) : undefined) ??
        byName.get('*') ??
        current
      return found && made.get(found)
    },
  }
}

/** Finds the user of a host: its exact name, or the longest `*.suffix` that matches. */
function userOfHost(byName: ReadonlyMap<string, AuthInfo>, name: string): AuthInfo | undefined {
  const exact = byName.get(name)
  if (exact) return exact
  for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
    const found = byName.get(`*${name.slice(dot)}`)
    if (found) return found
  }
  return undefined
}
