{{/* The pod, the same on either ledger but for where the ledger is. */}}
{{- define "headwater.pod" -}}
metadata:
  labels:
    {{- include "headwater.labels" . | nindent 4 }}
  {{- with .Values.podAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  automountServiceAccountToken: false
  enableServiceLinks: false
  {{- with .Values.image.pullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 1000
    runAsGroup: 1000
    fsGroup: 1000
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile:
      type: RuntimeDefault
  # 5 s until no new request is sent here, 10 at most to answer those that are
  terminationGracePeriodSeconds: 30
  containers:
    - name: headwater
      image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities:
          drop: [ALL]
      env:
        - name: BASE_URL
          value: {{ required "baseUrl is missing: the address that applications reach, such as https://hw.example.com" .Values.baseUrl | quote }}
        - name: TRUST_PROXY
          value: {{ .Values.trustProxy | quote }}
        - name: OWNER_TOKEN_FILE
          value: /run/secrets/owner/token
        {{- if .Values.databaseUrl.existingSecret }}
        - name: DATABASE_URL_FILE
          value: /run/secrets/database/url
        {{- end }}
        {{- range $name, $value := .Values.settings }}
        - name: {{ $name }}
          {{- /* a number of values.yaml may come as 1e+06 */}}
          value: {{ if kindIs "string" $value }}{{ $value | quote }}{{ else }}{{ $value | int64 | toString | quote }}{{ end }}
        {{- end }}
      ports:
        - name: http
          containerPort: 8790
      startupProbe:
        httpGet: { path: /healthz, port: http }
        periodSeconds: 2
        failureThreshold: 60
      livenessProbe:
        httpGet: { path: /healthz, port: http }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 3
      readinessProbe:
        httpGet: { path: /readyz, port: http }
        periodSeconds: 5
        timeoutSeconds: 3
        failureThreshold: 2
      lifecycle:
        preStop:
          exec:
            command: [sleep, "5"]
      resources:
        {{- toYaml .Values.resources | nindent 8 }}
      volumeMounts:
        - name: data
          mountPath: /data
        - name: tmp
          mountPath: /tmp
        - name: owner
          mountPath: /run/secrets/owner
          readOnly: true
        {{- if .Values.databaseUrl.existingSecret }}
        - name: database
          mountPath: /run/secrets/database
          readOnly: true
        {{- end }}
  volumes:
    - name: tmp
      emptyDir: { sizeLimit: 64Mi }
    - name: owner
      secret:
        secretName: {{ required "ownerToken.existingSecret is missing: the name of a secret with the owner's token; values.yaml says how to make one" .Values.ownerToken.existingSecret }}
        defaultMode: 0440
        items:
          - key: {{ .Values.ownerToken.key }}
            path: token
    {{- if .Values.databaseUrl.existingSecret }}
    - name: data
      emptyDir: { sizeLimit: 64Mi }
    - name: database
      secret:
        secretName: {{ .Values.databaseUrl.existingSecret }}
        defaultMode: 0440
        items:
          - key: {{ .Values.databaseUrl.key }}
            path: url
    {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.topologySpreadConstraints }}
  topologySpreadConstraints:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}
