"""Does a phone behave as the driver believes? The same checks for a virtual phone, an emulator and a real one.

The judges are unmodified uiautomator2 and adbutils. Only packages that every phone has are touched: Settings and the
launcher. Nothing is changed on the phone unless destructive checks are asked for.
"""
