# Installs the client keyferry, as this server has it:
#
#   irm ORIGIN/install.ps1 | iex
#
# It writes keyferry.exe to %LOCALAPPDATA%\Programs\keyferry. PowerShell parses the whole text before it runs any of it,
# so half a download does nothing.
& {
  $ErrorActionPreference = 'Stop'
  $ProgressPreference = 'SilentlyContinue'
  $origin = @ORIGIN@
  $version = @VERSION@
  # One line for each file: platform, name, SHA-256.
  $files = @FILES@

  if ($origin -notmatch '^(https://|http://(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$)') {
    throw "keyferry: $origin is not an https address. Ask the operator to set PUBLIC_URL."
  }
  if ($env:OS -ne 'Windows_NT') { throw "keyferry: this is not Windows. In a shell, run: curl -fsS $origin/install.sh | sh" }

  # Of the machine: the variable of this process names the processor that Windows emulates for it.
  $machine = Get-ItemProperty -LiteralPath 'HKLM:\SYSTEM\CurrentControlSet\Control\Session Manager\Environment'
  $processor = $machine.PROCESSOR_ARCHITECTURE
  # Windows on ARM64 emulates x64.
  $platforms = @(switch ($processor) {
      'ARM64' { 'windows-arm64', 'windows-x64' }
      'AMD64' { 'windows-x64' }
    })
  $of = @{}
  foreach ($line in ($files -split "`n")) {
    $platform, $file, $hash = $line.Trim() -split ' '
    if ($platform) { $of[$platform] = @{ Name = $file; Sum = $hash } }
  }
  $found = @($platforms | Where-Object { $of.ContainsKey($_) })
  if ($found.Count -eq 0) {
    if ($of.ContainsKey('package')) {
      throw "keyferry: this server has no program for Windows on $processor. With Node.js 20.16 or newer, run: npm install --global $origin/client/$($of['package'].Name)"
    }
    throw "keyferry: this server has no client $version to hand out. Its operator can add it with: npm run release"
  }

  $name = $of[$found[0]].Name
  $sum = $of[$found[0]].Sum

  $folder = Join-Path $env:LOCALAPPDATA 'Programs\keyferry'
  $program = Join-Path $folder 'keyferry.exe'
  $work = Join-Path $folder ".install-$PID"
  New-Item -ItemType Directory -Force -Path $work | Out-Null
  try {
    $archive = Join-Path $work 'keyferry.exe.gz'
    $unpacked = Join-Path $work 'keyferry.exe'
    Write-Host "Fetching $name from $origin"
    # Old .NET starts without TLS 1.2. 0 leaves the choice to Windows.
    if ([int][Net.ServicePointManager]::SecurityProtocol -ne 0) {
      [Net.ServicePointManager]::SecurityProtocol = [Net.ServicePointManager]::SecurityProtocol -bor [Net.SecurityProtocolType]::Tls12
    }
    Invoke-WebRequest -UseBasicParsing -MaximumRedirection 0 -Uri "$origin/client/$name" -OutFile $archive
    $actual = (Get-FileHash -Algorithm SHA256 -LiteralPath $archive).Hash.ToLowerInvariant()
    if ($actual -ne $sum) {
      throw "keyferry: $name has the wrong checksum; nothing was installed. Expected $sum, found $actual."
    }
    $from = [IO.File]::OpenRead($archive)
    $to = [IO.File]::Create($unpacked)
    $gzip = New-Object IO.Compression.GzipStream($from, [IO.Compression.CompressionMode]::Decompress)
    try { $gzip.CopyTo($to) } finally { $gzip.Dispose(); $to.Dispose(); $from.Dispose() }
    $says = try { & $unpacked --version } catch { "$_" }
    if ("$says" -ne $version) { throw "keyferry: $name does not start on this system: $says" }
    # Windows renames a program that runs, but does not replace it.
    $old = Join-Path $folder "keyferry.old-$([guid]::NewGuid())"
    Get-ChildItem -LiteralPath $folder -Filter 'keyferry.old-*' | Remove-Item -Force -ErrorAction SilentlyContinue
    if (Test-Path -LiteralPath $program) { Move-Item -LiteralPath $program -Destination $old }
    try {
      Move-Item -LiteralPath $unpacked -Destination $program
    } catch {
      if (Test-Path -LiteralPath $old) { Move-Item -LiteralPath $old -Destination $program }
      throw
    }
  } finally {
    # A virus scanner may still read it; what is left does no harm.
    Remove-Item -Recurse -Force -LiteralPath $work -ErrorAction SilentlyContinue
  }

  Write-Host "Installed keyferry ${version}: $program"
  if (($env:Path -split ';') -notcontains $folder) {
    Write-Host "$folder is not in your PATH. To add it, run these lines and open a new terminal:"
    # Keeps names such as %USERPROFILE% in it. The last line changes nothing, but tells Windows to read the variables again.
    Write-Host '  $path = (Get-Item HKCU:\Environment).GetValue("Path", "", "DoNotExpandEnvironmentNames")'
    Write-Host "  Set-ItemProperty HKCU:\Environment Path (`"`$path;`" + '$($folder.Replace("'", "''"))') -Type ExpandString"
    Write-Host '  [Environment]::SetEnvironmentVariable("KEYFERRY_INSTALLED", $null, "User")'
  }
  $next = if ($origin -eq 'http://127.0.0.1:5393') { 'import .env --bundle dev/app' } else { "init --server $origin" }
  Write-Host "Next, in your project: keyferry $next"
}
