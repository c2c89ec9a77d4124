{{/* The security of every pod of ours: the profile `restricted`. */}}
{{- define "factmill.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "factmill.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/* What all pods have in common. Needs `root`, `name` of the container, `args` of node, `env`, `resources`,
     `serviceAccountName`; what only a service has comes as `container` and `pod`. */}}
{{- define "factmill.podSpec" -}}
{{- $root := .root -}}
serviceAccountName: {{ .serviceAccountName }}
automountServiceAccountToken: false
# Links of services are variables such as GATEWAY_PORT, which would be taken for settings.
enableServiceLinks: false
{{- with $root.Values.image.pullSecrets }}
imagePullSecrets:
{{- range . }}
  - name: {{ . }}
{{- end }}
{{- end }}
securityContext:
  {{- include "factmill.podSecurity" $root | nindent 2 }}
{{- with .pod }}
{{ . }}
{{- end }}
containers:
  - name: {{ .name }}
    image: {{ include "factmill.image" $root }}
    imagePullPolicy: {{ $root.Values.image.pullPolicy }}
    command: [node]
    args:
      {{- toYaml .args | nindent 6 }}
    {{- with .env }}
    env:
      {{- . | nindent 6 }}
    {{- end }}
    {{- with .container }}
    {{- . | nindent 4 }}
    {{- end }}
    resources:
      {{- toYaml .resources | nindent 6 }}
    securityContext:
      {{- include "factmill.containerSecurity" $root | nindent 6 }}
    volumeMounts:
      - name: tmp
        mountPath: /tmp
      {{- with .volumeMounts }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
volumes:
  - name: tmp
    emptyDir: {}
  {{- with .volumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}
