import { webhookConfiguration } from '../webhook/configuration.ts'
import { setMutatingWebhookDefaults } from '../webhook/defaults.ts'

export const mutatingWebhookConfigurationResource = webhookConfiguration('MutatingWebhookConfiguration', setMutatingWebhookDefaults)
