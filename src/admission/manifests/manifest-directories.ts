import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { errorMessage } from '../../lib/error-message.ts'
import type { Features } from '../../lifecycle/gates.ts'
import { isSince } from '../../lifecycle/release.ts'
import { type FieldError, fieldErrorText, forbidden, invalid } from '../../meta/field-error.ts'
import { fieldPath } from '../../meta/field-path.ts'
import { TypeRegistry } from '../../schema/idl.ts'
import { initError, type PluginConfigurations, pluginConfiguration } from '../configuration-file.ts'
import { webhookPluginConfiguration } from '../webhooks/credentials.ts'

/** Plugins whose objects may come from manifest files. */
export const MANIFEST_PLUGINS = [
  'ValidatingAdmissionPolicy',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionWebhook',
  'ValidatingAdmissionWebhook',
] as const
/** Name of a plugin whose objects may come from manifest files (KEP-5793). */
export type ManifestPluginName = (typeof MANIFEST_PLUGINS)[number]

const FIELD = 'staticManifestsDir'
const PATH = fieldPath(FIELD)

/**
 * Returns the directories of manifests that the configurations of plugins name. Throws AdmissionConfigError with
 * kube-apiserver's message if one cannot be used.
 * https://kubernetes.io/docs/reference/access-authn-authz/manifest-admission-control/
 */
export async function manifestDirectories(
  configurations: PluginConfigurations,
  features: Features,
): Promise<ReadonlyMap<ManifestPluginName, string>> {
  const found = new Map<ManifestPluginName, string>()
  for (const plugin of MANIFEST_PLUGINS) {
    const value = configurationOf(configurations, plugin, features)?.[FIELD]
    if (typeof value !== 'string' || value === '') continue
    if (!isSince(features.release, '1.36')) throw initError(plugin, `strict decoding error: unknown field ${JSON.stringify(FIELD)}`)
    const fault = await directoryFault(value, features)
    if (fault) throw initError(plugin, fieldErrorText(fault))
    found.set(plugin, value)
  }
  return found
}

function configurationOf(configurations: PluginConfigurations, plugin: ManifestPluginName, { release }: Features) {
  if (plugin === 'MutatingAdmissionWebhook' || plugin === 'ValidatingAdmissionWebhook')
    return webhookPluginConfiguration(configurations, plugin)
  // Earlier releases ignore the configuration of these plugins.
  if (!isSince(release, '1.36')) return undefined
  const kind = `${plugin}Configuration`
  return pluginConfiguration(configurations, plugin, (apiVersion, claimed) =>
    apiVersion === 'apiserver.config.k8s.io/v1' && claimed === kind
      ? new TypeRegistry().addFile('policyconfig', join(import.meta.dirname, 'policy-configuration.types')).type(`policyconfig.${kind}`)
      : undefined,
  )
}

async function directoryFault(directory: string, features: Features): Promise<FieldError | undefined> {
  if (!features.enabled('ManifestBasedAdmissionControlConfig'))
    return forbidden(PATH, `${FIELD} requires the ManifestBasedAdmissionControlConfig feature gate to be enabled`)
  if (!directory.startsWith('/')) return invalid(PATH, directory, 'must be an absolute file path')
  const found = await stat(directory).catch(errorMessage)
  if (typeof found === 'string') return invalid(PATH, directory, `unable to read: ${found}`)
  return found.isDirectory() ? undefined : invalid(PATH, directory, 'must be a directory')
}
